//===- KeptDestinations.h - ops keep what they write ------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns give an op that does not read its output a `tensor.empty`
// for it. What a function or a chain returns in an argument, and what is stored
// into the buffer that it begins from, is to be computed there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_KEPTDESTINATIONS_H
#define ASTFE_LIB_TRANSFORMS_KEPTDESTINATIONS_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVector.h"

namespace astfe {

/// Finds what ops write before patterns run, listens to the patterns, and gives
/// it back to the ops that lost it.
class KeptDestinations : public mlir::RewriterBase::Listener {
public:
  /// Fills of tensors that are there become `linalg.fill`, whose `outs`
  /// upstream's patterns leave.
  explicit KeptDestinations(mlir::Operation *root);
  void restore();

private:
  /// What ends with a result: the terminator of a function, or a chain, of one
  /// block, or a store. Patterns replace the result, and erase ends that nobody
  /// needs or reaches.
  struct Kept {
    mlir::Operation *end;
    unsigned operand;
    /// Of the argument of the block, for a terminator.
    unsigned argument;
  };

  void notifyOperationErased(mlir::Operation *op) override;

  llvm::SmallVector<Kept> kept;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_KEPTDESTINATIONS_H
