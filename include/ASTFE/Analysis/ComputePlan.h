//===- ComputePlan.h - from an iteration space to loops ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every part of the compiler that has to know what a computation becomes asks
// one function: raising (can it be done?), selecting kernels (what does it
// cost?), and both conversions, which execute the answer. So nothing that was
// raised fails later.
//
// The iteration space of a pattern with D modes is (n, i1..iD, dense...): n is
// the ordinal of a stored nonzero, i1..iD are its coordinates. A plan says
//
//   keys      modes that are constant within a segment of nonzeros
//   walk      how the nonzeros are visited, and what workers share out
//   lanes     what the lanes of a vector (or a warp's threads) run over
//   outputs   what a nonzero does to each: Once, Segment, Scatter or All
//   inputs    how each is addressed
//   factoring what is multiplied in after a reduction over a dense dimension
//
// Worked examples, of a CSR matrix (n, i, j[, k]):
//
//   y_i  += a_n x_j        segments of (i), lanes over slots,  segment (i)
//   C_ik += a_n B_jk       segments of (i), lanes over k,      segment (i)
//   s_n   = a_n <X_i, Y_j> segments of (i), lanes over k which is reduced,
//                          once; a_n is multiplied in after the reduction
//   y_i  += a_n B_jk       segments of (i), lanes over k which is reduced, at
//                          the end of a segment, on a host
//   C_jk += a_n B_ik       parts of (j), lanes over k,         scatter (j)
//
// A plan is a pure function of the question, linear in the size of the maps and
// of the body, for any rank and any number of dense dimensions. What is done
// for a rank or a target, and what not yet, is decided here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_COMPUTEPLAN_H
#define ASTFE_ANALYSIS_COMPUTEPLAN_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include <string>

namespace astfe {

enum class PlanTarget { Host, GPU };

//===----------------------------------------------------------------------===//
// The question
//===----------------------------------------------------------------------===//

/// An input or an output as the plan sees it.
struct PlanOperand {
  mlir::AffineMap map;   ///< from the iteration space
  mlir::ShapedType type; ///< tensor or buffer
  mlir::Type element() const { return type.getElementType(); }
};

/// A computation: an `astfe.compute`, or what would become one.
struct ComputeQuestion {
  PlanTarget target = PlanTarget::Host;
  unsigned modes = 0; ///< D
  llvm::SmallVector<PlanOperand> inputs, outputs;
  /// The ops that run at each point, in order; their arguments, one an input;
  /// what is yielded to each output, and how it is combined.
  llvm::SmallVector<mlir::Operation *> body;
  llvm::SmallVector<mlir::Value> arguments, contributions;
  llvm::SmallVector<mlir::arith::AtomicRMWKind> combiners;
  /// What outputs begin with; none, or null: the identity.
  llvm::SmallVector<mlir::TypedAttr> starts;
  bool overwrites = false;            ///< outputs are written, not added to
  llvm::SmallVector<int64_t> extents; ///< of the modes
  core::Layout layout;
  /// The modes (1..D) in the order in which a view's levels store them. Packed
  /// patterns are walked along mode 1.
  llvm::SmallVector<unsigned> storedModes;

  /// A member of a chain for a GPU, whose kernel walks columns too, and rounds
  /// sums to halves at the key's end.
  bool inChain = false;

  unsigned firstDense() const { return 1 + modes; }
  unsigned dims() const;
  bool isView() const { return layout.storage == core::Storage::View; }
};

/// Whether GPU kernels have code for the op of a body, which computes with
/// halves in f32 if it `widens` them.
bool hasGPUInstructions(mlir::Operation &op, bool widens);

/// What `op` asks on `target`.
ComputeQuestion questionOf(ComputeOp op, PlanTarget target);

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

/// What the contributions of one nonzero do to an output.
enum class Protocol {
  Once,    ///< each nonzero has elements of its own: (n)
  Segment, ///< elements of its key: reduced in registers, flushed once
  Scatter, ///< elements that a walked mode names: memory is updated
  All      ///< elements that all nonzeros share
};

/// How nonzeros are visited.
enum class Walk {
  Segments, ///< workers have runs of segments; a segment has one key
  Bricks,   ///< workers have ranges of the key's rows in every brick
  Parts,    ///< workers have runs of the rows that a walked mode names
  Pieces,   ///< workers have pieces of the nonzeros, and sums of their own
  Serial    ///< one after the other, by one worker
};

enum class Lanes {
  None,  ///< one point at a time
  Slots, ///< nonzeros of a segment side by side
  Dense  ///< a dense dimension, the last of each operand that it indexes
};

/// How an operand is addressed: by the dimensions of its map.
struct OperandPlan {
  bool ordinal = false;              ///< by n
  llvm::SmallVector<unsigned> modes; ///< of the pattern, 1..D, in its order
  llvm::SmallVector<unsigned> dense; ///< dense dimensions, in its order
};

struct OutputPlan : OperandPlan {
  Protocol protocol = Protocol::Segment;
  mlir::arith::AtomicRMWKind combiner;
  /// What it begins with instead of the combiner's identity, if anything.
  mlir::TypedAttr start;
  /// What sums are kept in: wider than the output's elements for half floats,
  /// and on a GPU for integers of fewer than 32 bits.
  mlir::Type accumulator;
};

struct ComputePlan {
  llvm::SmallVector<unsigned> keys;   ///< modes constant in a segment
  llvm::SmallVector<unsigned> walked; ///< the others, in storage order
  Walk walk = Walk::Serial;
  Lanes lanes = Lanes::None;
  /// For Lanes::Dense: the dimension.
  unsigned laneDim = 0;
  llvm::SmallVector<OperandPlan> inputs;
  llvm::SmallVector<OutputPlan> outputs;
  /// Dense dimensions that no output is indexed by, in order.
  llvm::SmallVector<unsigned> reduced;
  /// The contribution is the product of `factors`, which no reduced dimension
  /// indexes, and of `terms`, which are summed over these first. Empty without.
  llvm::SmallVector<mlir::Value> factors, terms;
  /// Classes of blocks that there is code for.
  core::ClassSet classes;
  /// For Walk::Serial: why.
  std::string whySerial;
  /// For Walk::Bricks without lanes: why.
  std::string whyNoLanes;
  /// For Walk::Bricks: the contribution is the product of all inputs, each
  /// once, and they are added up.
  bool isProduct = false;
  /// Half floats are computed with in f32, to which they are converted as they
  /// are loaded; sums are rounded once, as they are stored.
  bool widens = false;

  /// Lanes are the parts of complex numbers, side by side as in memory, so that
  /// there are two for each index of the lanes' dimension.
  bool pairs = false;
  /// Pairs of vectors, which get a dense dimension of one column: the plan is
  /// that of the computation with it (ComplexPlan.h).
  bool addsColumn = false;

  bool isSerial() const { return walk == Walk::Serial; }
  /// The lanes' dimension is summed over.
  bool reducesLanes() const;
  /// It is, at the end of each segment, into an element of the output.
  bool reducesLanesOfRows() const;
  /// "once by segments of (i1), lanes over d3 (reduced)".
  std::string text() const;
};

/// Whether no GPU has an atomic instruction that combines into the output: rows
/// that several workers write want partial rows, which a deterministic layout
/// has. Of matrices.
bool needsPartialRows(const ComputeQuestion &question);

/// Why there is no plan; at an op of the body, if that is what is wrong.
struct PlanRefusal {
  std::string reason;
  mlir::Operation *at = nullptr;
};

/// The plan, or why there is none.
std::optional<ComputePlan> planCompute(const ComputeQuestion &question,
                                       PlanRefusal &refusal);
/// The plan of `op`; else an error at it, or at the op that is wrong.
mlir::FailureOr<ComputePlan> planCompute(ComputeOp op, PlanTarget target);

} // namespace astfe

#endif // ASTFE_ANALYSIS_COMPUTEPLAN_H
