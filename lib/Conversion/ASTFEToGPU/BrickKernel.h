//===- BrickKernel.h - GPU kernels over tensors of any rank ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed patterns of other ranks than two (Core/Bricks/Bricks.h). A warp owns a
// range of the key's rows, as a host's thread does: it walks the segments of
// its rows in every brick, and nobody else writes them. A row that is too long
// for one is cut into parts, whose sums are rows of their own until another
// launch adds them up in the order of the parts. So there are no atomics, and
// the same bits each time.
//
//   with dense columns   a lane has a vector of them, and lanes that have all
//                        columns of a tile are a team; grid.y strides over
//                        tiles
//   without              each lane is a team
//   a team               has a segment, or, where there are fewer segments than
//                        teams, its share of the slots of one
//
// Worked example, M_ir += T_ijk B_jr C_kr with two ranges and one brick: warp 0
// has the rows [rows[0], rows[1]); for each it sums up in a register of each
// lane, reads M_ir and writes it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKKERNEL_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKKERNEL_H

#include "KernelPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace astfe::gpukernel {

/// A computation over bricks, read once.
struct BrickPlan {
  KernelPlan kernel; ///< op, elements, combiner, scalars and overwrites
  unsigned rank = 0, key = 0;
  std::optional<unsigned> laneDim;
  llvm::SmallVector<mlir::AffineMap> inputs;
  /// What the inputs have, of complex ones the parts, which lie side by side.
  llvm::SmallVector<mlir::Type> elements;
  llvm::SmallVector<bool> complex; ///< which inputs are of complex numbers
  mlir::AffineMap output;

  unsigned dims() const { return output.getNumDims(); }
  bool usesMode(unsigned mode) const;
  /// Whether a segment's nonzeros meet the same elements of the output.
  bool flushesSegments() const;
  /// Slots of a segment that are read before the first of them is summed.
  unsigned slotsTogether(Variant variant) const;
  /// Whether an operand's rows are of the columns that lanes have.
  bool hasColumns(mlir::AffineMap map) const;
  /// Columns of a lane, at most: a load of 16 bytes, of what has them all side
  /// by side.
  unsigned maxVector() const;
  /// The kernels for the numbers of columns that types leave possible, of which
  /// the first that suits is launched; the last suits all. `aligned`: dense
  /// operands begin at multiples of 16 bytes.
  llvm::SmallVector<Variant> variants(bool aligned) const;
  /// The extent of a dimension, where an operand's type says it.
  std::optional<int64_t> staticExtent(unsigned dim) const;
  /// Sums are in a buffer of their own until a warp has all of its rows':
  /// halves that other modes than the key index would be rounded at every
  /// nonzero.
  bool keepsSums() const;
  /// Rows that are long are cut between warps (Core/Bricks/BrickParts.h): those
  /// of the output, which no other mode of the pattern indexes.
  bool cuts() const;
  /// Where the ranges' rows, segments and slots are: ranges are parts then.
  int64_t rowTable() const;
  int64_t segmentTable() const;
  int64_t slotTable() const;
};

mlir::FailureOr<BrickPlan> planBrickKernel(ComputeOp op);

enum class BrickRole {
  Table,
  Input,
  Output,
  Sums,     ///< the output's elements, as they are summed up
  Partials, ///< sums of parts of rows
  Bricks,
  Ranges,
  Extent,
  Scalar
};

/// An argument of a kernel; `number` is that of a table (Runtime/ABI.h), an
/// input, a dimension or a scalar.
struct BrickArgument {
  BrickRole role;
  mlir::Type type; ///< of the element, where it is a pointer
  int64_t number = 0;

  bool isPointer() const {
    return role == BrickRole::Table || role == BrickRole::Input ||
           role == BrickRole::Output || role == BrickRole::Sums ||
           role == BrickRole::Partials;
  }
};

/// Local coordinates have 16 or 32 bits: there is a kernel for each.
llvm::SmallVector<BrickArgument> brickArguments(const BrickPlan &plan,
                                                unsigned bits);
std::string brickKernelName(unsigned bits, Variant variant);
/// Of the kernel that adds up parts of rows.
llvm::SmallVector<BrickArgument> partArguments(const BrickPlan &plan);
constexpr llvm::StringLiteral kCombinePartsName = "combine_parts";

/// The gpu.module with the kernels.
mlir::gpu::GPUModuleOp emitBrickKernels(mlir::OpBuilder &builder,
                                        const BrickPlan &plan,
                                        llvm::StringRef moduleName,
                                        bool deviceOperands);

/// Replaces the op by its launch.
void lowerBricksToLaunch(mlir::RewriterBase &rewriter, const BrickPlan &plan,
                         mlir::gpu::GPUModuleOp module, bool deviceOperands);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKKERNEL_H
