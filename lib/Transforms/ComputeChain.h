//===- ComputeChain.h - computations that may be one kernel ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain ends in one computation, its root, and holds the computations over
// the same pattern that make what it reads, what those read, and so on, as far
// as rules F1 to F7 of astfe.fused allow, and others before it that read what
// those make. Elementwise ops that read the root's result alone follow as
// epilogues.
//
// Worked example: softmax of the stored values of a matrix as five computations
// max, e = exp(a - max), l = sum e, p = e / l, o = p V. From the root o grow p,
// then e and l (which p reads), then max. In A (A X) the outer product reads
// row j of what the inner one makes at row i: the chain is the outer one alone
// (F4).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_COMPUTECHAIN_H
#define ASTFE_LIB_TRANSFORMS_COMPUTECHAIN_H

#include "PatternRoots.h"
#include "WrittenValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe {

/// A computation that is not in the chain, and the rule that keeps it out.
struct KeptApart {
  ComputeOp op;
  std::string reason;
};

struct ComputeChain {
  /// Computations and then epilogues, in the order of their block.
  mlir::SetVector<mlir::Operation *> members;
  mlir::SmallVector<KeptApart> keptApart;
  /// Of the values that only members read: bytes for each nonzero and for each
  /// key that are neither written nor read again.
  int64_t slotBytes = 0, keyBytes = 0;

  mlir::Operation *last() const { return members.back(); }
  /// The member that makes `value`, seen through the pattern; or null.
  mlir::Operation *maker(mlir::Value value) const;
  /// Whether an op that is no member reads `value`, a member's result.
  bool isReadOutside(mlir::Value value) const;
};

/// The chain that ends in `root`, without the ops of `taken`. Locals with dense
/// extents take at most `cache` bytes a key. What reads values that are
/// `written` is in no chain, which would read them at another place of the
/// program.
ComputeChain findChain(ComputeOp root,
                       const llvm::SmallPtrSetImpl<mlir::Operation *> &taken,
                       const WrittenValues &written, int64_t cache);

/// Makes an astfe.fused of the chain, in the place of its last member.
FusedOp buildFused(mlir::RewriterBase &rewriter, const ComputeChain &chain);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_COMPUTECHAIN_H
