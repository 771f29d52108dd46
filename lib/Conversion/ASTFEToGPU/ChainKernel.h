//===- ChainKernel.h - one GPU kernel of a chain ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains over views (Analysis/ChainPlan.h). A warp has a run of whole rows, and
// takes a row's nonzeros 32 at a time: there are no atomics, and one launch.
// Where rows are too long for a warp, others have pieces of them, and a second
// launch combines what these have reduced, in a fixed order (ChainCut.cpp): the
// same bits each time.
//
//   samples     eight lanes share a nonzero, four are in flight
//   slots       a lane has a nonzero
//   reductions  a lane sums up its nonzeros; lanes meet where the row ends,
//               maxima that exponentials count from after each 32
//   products    a lane has columns; weights come by shuffles
//
// A lane's nonzero is the one whose sample it has: lane 8 g + t has the
// nonzero 4 t + g of 32. Values of nonzeros never reach memory, but for
// outputs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINKERNEL_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINKERNEL_H

#include "ASTFE/Analysis/ChainPlan.h"
#include "ChainHeads.h"
#include "KernelPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace astfe::gpukernel {

/// A kernel of a chain.
struct ChainPart {
  enum Kind {
    Whole,  ///< all rows
    Cut,    ///< rows that are not cut, and pieces of the others
    Pieces, ///< the same pieces in a later sweep
    Combine ///< what they have reduced in a sweep
  } kind = Whole;
  unsigned sweep = 0;
};

/// A chain, read once.
struct ChainKernelPlan {
  FusedOp op;
  ChainPlan chain;
  KernelPlan kernel; ///< element, layout and the view's types
  /// Of products: elements of a vector that a lane loads, and vectors.
  unsigned vector = 1, vectors = 1;
  /// Columns do not fit the lanes' registers, or are not known: a row is run
  /// again for the next ones.
  bool tiles = false;
  /// Long rows have kernels of their own. The host looks for them, but in the
  /// memory of a device, of which an option says whether there are any.
  bool cuts = true;
  /// Runs where operands do not begin at vectors, beside a plan that has them.
  bool isFallback = false;
  /// Operands, inputs first, that lie in the device's memory as the caller has
  /// them: elements of vectors, or rows, apart.
  llvm::SmallVector<bool> strided;
  /// All heads are one launch; none: of one alone.
  std::optional<ChainHeads> heads;

  int64_t tile() const;
  /// Elements of a row of partial results before those of products.
  int64_t partialScalars() const;
  /// How many parts share the registers for what is loaded ahead: products have
  /// one each, and f64 takes two.
  int64_t loadShares() const;
  /// Takes more registers than most: other products have sums, too, nonzeros
  /// have more in f64, and each of several sweeps samples again.
  bool isLarge() const;
  /// Thread blocks that a multiprocessor holds at a time.
  int64_t residentBlocks() const;
  std::string nameOf(ChainPart part) const;
  /// Elements that a lane loads at a time of a dense extent that is summed.
  unsigned sampleVector(int64_t extent) const;
  /// Most elements of a vector that any lane loads or stores.
  unsigned widestVector() const;
  /// Vectors of the chain's operand are loaded or stored.
  bool hasVectorsOf(unsigned operand) const;
  /// The buffers that kernels read: those of all heads where there are some.
  llvm::SmallVector<mlir::Value> buffersOf() const;
  /// Where a dimension of the chain's operand is in its buffer.
  unsigned dimOf(unsigned operand, unsigned dim) const;
  /// The dimension of the heads in a buffer; none where it has none.
  std::optional<unsigned> headDim(unsigned operand) const;
};

/// The first of these that suits the operands is launched; the last suits all.
using ChainKernelPlans = llvm::SmallVector<ChainKernelPlan, 2>;

mlir::FailureOr<ChainKernelPlans>
planChainKernels(FusedOp op, const std::optional<ChainHeads> &heads,
                 const GPUKernelOptions &options);

/// The buffer that kernels of a device's operands read: the caller's own, with
/// elements apart, where `isInPlace`.
mlir::MemRefType chainBufferType(mlir::Value operand, bool isInPlace);

enum class ChainArgumentRole {
  Positions,
  Coordinates,
  Operand,  ///< an input or output of the chain, by its number
  Extent,   ///< the last extent of that operand, where it is not static
  Offset,   ///< of that operand: elements before its first one
  Stride,   ///< of that operand: elements from one, or from a row, to the next
  HeadRows, ///< of an operand of all heads, its second extent
  Workers,
  Rows,
  Partials,    ///< what pieces of rows have reduced
  PartialRows, ///< of these, those of a head
  Least,       ///< nonzeros of a row that is cut
  Piece        ///< nonzeros of a piece
};

struct ChainArgument {
  ChainArgumentRole role;
  mlir::Type type; ///< of the element, where it is a pointer
  unsigned operand = 0;
  bool isPointer = true;
};

/// Those that are launched one after the other where rows are cut.
llvm::SmallVector<ChainPart> partsOfCut(const ChainKernelPlan &plan);

llvm::SmallVector<ChainArgument> chainArguments(const ChainKernelPlan &plan,
                                                ChainPart part);

/// The gpu.module with the kernels of all plans.
mlir::gpu::GPUModuleOp emitChainKernels(mlir::OpBuilder &builder,
                                        const ChainKernelPlans &plans,
                                        llvm::StringRef moduleName);

/// Replaces the op, or the loop over its heads, by its launch.
void lowerChainToLaunch(mlir::RewriterBase &rewriter,
                        const ChainKernelPlans &plans,
                        mlir::gpu::GPUModuleOp module, bool deviceOperands);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINKERNEL_H
