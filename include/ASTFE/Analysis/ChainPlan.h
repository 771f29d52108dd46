//===- ChainPlan.h - how a GPU's warp runs a chain --------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp runs a chain row by row, in sweeps over the row's nonzeros, 32 at a
// time. What belongs to a nonzero is in its lane's registers, and is computed
// again in each sweep that needs it. A value of the key is complete where the
// sweep ends that reduces it, so that what reads it runs in the next one. By
// that rule softmax would take three, and gather K in each:
//
//   m = max s    |   l = sum exp(s - m)   |   o = sum exp(s - m) / l V
//
// Two forms may read a value of the key that is not complete, which makes one
// sweep of these three:
//
//   exp(s - r(m))  where m is the maximum of s, with any r: what lanes have is
//                  exp(s - r(m so far)). Sums of it are multiplied by
//                  exp(r(m before) - r(m now)) whenever the maximum grows.
//   x / r(l)       of such an x: the division is left out, and done with the
//                  row's sums when l is complete.
//
// Both pass through products with what is complete, and through sums; what
// reads them in another way runs in a later sweep, where m and l are known.
//
// Linear in the ops of the chain, times the sweeps.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_CHAINPLAN_H
#define ASTFE_ANALYSIS_CHAINPLAN_H

#include "ASTFE/Analysis/ComputePlan.h"

namespace astfe {

/// What a computation of a chain makes.
enum class ChainRole {
  Sample,    ///< a value for each nonzero, summed over a dense dimension
  Slot,      ///< a value for each nonzero
  Reduction, ///< a value of the key
  Product    ///< a row of the key, over a dense dimension
};

/// The factor that a value lacks in the sweep that makes it.
struct ChainScale {
  /// The math.exp of which the maximum is the one so far; or null.
  mlir::Operation *exponential = nullptr;
  /// The division that is left out; or null.
  mlir::Operation *division = nullptr;

  explicit operator bool() const { return exponential; }
};

struct ChainStep {
  ComputeOp op;
  ComputePlan plan;
  ChainRole role;
  unsigned sweep = 0;
  ChainScale scale;
  /// The linalg.generic ops that change what the key has before it is stored.
  llvm::SmallVector<mlir::Operation *> epilogues = {};
  /// Those that compute what no computation has written, from this value of the
  /// key and others that are complete by then.
  llvm::SmallVector<mlir::Operation *> followers = {};

  /// A value for each nonzero, else for each key.
  bool isOfSlot() const {
    return role == ChainRole::Sample || role == ChainRole::Slot;
  }
  /// What is written: an argument of the chain or a local.
  mlir::Value written() const;
};

struct ChainPlan {
  /// What sums are kept in, and values that are handed on, locals of halves
  /// too: these are rounded where they reach memory, which locals do not.
  mlir::Type element;
  unsigned key = 1; ///< the mode that is constant in a row of the view
  std::vector<ChainStep> steps;
  unsigned sweeps = 1;

  /// The step that makes what was written into `origin`; or null.
  const ChainStep *makerOf(mlir::Value origin) const;
  /// Exponentials whose maximum so far is what `step` reduces.
  llvm::SmallVector<mlir::Operation *>
  exponentialsOf(const ChainStep &step) const;
};

/// The maximum so far that an exponential of a ChainScale counts from, as its
/// body has it: r(m).
mlir::Value referenceOf(mlir::Operation *exponential);

/// What the only output gets; of an output of halves before it is rounded.
mlir::Value contributionOf(ComputeOp op);

/// Rows apart whose elements are not, or elements of a vector apart: as kernels
/// of chains read a buffer in a GPU's memory.
bool isStrided(mlir::MemRefType type);

/// The plan, or why there is none.
std::optional<ChainPlan> planChain(FusedOp op, std::string &whyNot);

} // namespace astfe

#endif // ASTFE_ANALYSIS_CHAINPLAN_H
