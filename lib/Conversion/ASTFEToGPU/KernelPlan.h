//===- KernelPlan.h - what one GPU kernel computes ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan is an astfe.compute read once: how each operand is addressed, how
// contributions combine, which classes of segment occur. Emitters read the plan
// and never the op. The operands that a kernel can address are
//
//   values         (n)                 loaded by the lane that owns the nonzero
//   column vector  (column)            likewise
//   row vector     (row)               the same for all lanes of a warp
//   dense          (column|row, j)     a vector of columns j for every lane
//   dense row      (j)
//   cell           (row, column)       an element of a dense matrix for every
//                  or (column, row)    nonzero, loaded by the lane that owns it
//
// and the output is (row), (row, j) or (n): j is the one dense dimension.
//
// Of complex numbers a plan has the floats: columns j are twice as many, a real
// part and an imaginary one in turn, and one column is two. A scalar is two
// operands of the same buffer, one for each part.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELPLAN_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELPLAN_H

#include "ASTFE/Conversion/ASTFEToGPU.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Target/Constants.h"

namespace astfe {
struct ComputePlan;
} // namespace astfe

namespace astfe::gpukernel {

/// The pattern dimension that selects a row of an operand.
enum class Lead { None, Row, Column };

struct Operand {
  bool values = false; ///< indexed by the nonzero's ordinal
  Lead lead = Lead::None;
  bool dense = false; ///< the last dimension is j
  bool cell = false;  ///< both modes index it: `lead` first
  mlir::Type element; ///< what is loaded; the body converts it
  /// Of a scalar: the real (0) or the imaginary (1) float of a complex number.
  std::optional<unsigned> part;

  unsigned bytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// One scalar per nonzero, held by the lane that owns it.
  bool perNonzero() const {
    return values || cell || (lead == Lead::Column && !dense);
  }
  /// It is addressed by its row.
  bool needsRow() const { return lead == Lead::Row || cell; }
};

/// One specialisation of a kernel.
struct Variant {
  /// Columns per lane: 4, 2 or 1. Needs a count divisible by it and alignment.
  unsigned vector = 1;
  /// Offsets into dense operands in 64 bits: for operands of 2^32 vectors and
  /// more, where the narrow form of one multiplication per 32 nonzeros ends.
  bool wide = false;
  /// That have the columns of a tile: 32, or, where those are few, a part of a
  /// warp, which then is several *teams*. 1 where there is one column.
  unsigned lanes = 32;

  int64_t tile() const { return int64_t(lanes) * vector; }
  bool hasTeams() const { return lanes < core::rules::kWarpLanes; }
};

struct KernelPlan {
  ComputeOp op;
  mlir::Type element; ///< of sums, and of what else is computed with
  mlir::Type stored;  ///< of the output: sums are rounded to it, or cut off
  /// Halves are computed with in f32.
  bool widens = false;
  /// Chains have one for each of their computations.
  mlir::arith::AtomicRMWKind combiner = mlir::arith::AtomicRMWKind::addf;
  mlir::TypedAttr start; ///< in place of its identity; null: that
  /// Sums are of complex numbers: those of two neighbours are its parts.
  bool complex = false;
  /// Of vectors of such, whose columns are the parts.
  bool vectorOfPairs = false;
  core::Layout layout;
  core::ClassSet classes; ///< compiled in
  bool oneColumn = false; ///< no dense dimension
  /// The output has an element for each nonzero; j, if there is one, is summed.
  bool samples = false;
  /// As ComputePlan has them.
  llvm::SmallVector<mlir::Value> factors, terms;
  unsigned maxVector = 1;
  /// Of a view: its rows, which warps walk, are not those of the output, which
  /// atomics add to. "Rows" of operands are the output's.
  bool scatters = false;
  /// Of bytes that are truth values: the output's.
  bool truths = false;
  bool byColumns = false;  ///< the mode that rows are of is the second one
  bool overwrites = false; ///< rows are written, not added to
  bool stores = false;     ///< samples are
  bool aligned = false;    ///< dense operands begin at multiples of 16 bytes
  bool cuts = false;       ///< of a view: has kernels for long rows, too
  llvm::SmallVector<Operand> inputs;
  /// What the body reads from outside, and the scalars of the output's type
  /// that kernels are passed for it: those of a complex number are its parts.
  llvm::SmallVector<mlir::Value> captured, scalars;
  /// Types of positions and coordinates of a view.
  mlir::Type position, coordinate;

  bool view() const { return layout.storage == core::Storage::View; }
  /// Extent of the mode that is no row, as types know it.
  int64_t staticDepth() const;
  /// Sums of a view's rows: a warp has one, or in the variants that have teams
  /// as many that follow each other as their mean length leaves teams for.
  bool walksRows() const { return view() && !samples && !scatters; }
  /// Some variant has teams for them.
  bool hasRowTeams() const;
  /// Shared rows go to private partials, combined by a second kernel.
  bool partials() const { return !view() && layout.deterministic && !samples; }
  /// What a view scatters is summed up in memory of its own, since no atomics
  /// add to the elements of the output; a second kernel stores it.
  bool sumsApart() const { return scatters && stored != element; }
  /// Columns of the dense dimension; nothing where there is none.
  std::optional<int64_t> staticColumns() const;
  /// Reads what all kernels compute with.
  void readElements(const ComputePlan &computed);
  /// Reads what the body reads from outside.
  mlir::LogicalResult readScalars();
  /// Columns that no lane has fewer of: a complex number's parts.
  unsigned minVector() const { return complex && !oneColumn ? 2 : 1; }
  /// Floats of an element of the output.
  unsigned parts() const { return complex ? 2 : 1; }
  unsigned elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// Of the widest operand.
  unsigned widestBytes() const;
};

/// Reads `op`, or says what a GPU kernel cannot do with it.
mlir::FailureOr<KernelPlan> planKernel(ComputeOp op,
                                       const GPUKernelOptions &options);

/// The specialisations that the plan's static sizes leave possible, widest
/// vector first, narrow before wide.
llvm::SmallVector<Variant> variantsOf(const KernelPlan &plan);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELPLAN_H
