//===- IndexOperands.h - coordinates as operands ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_INDEXOPERANDS_H
#define ASTFE_LIB_TRANSFORMS_INDEXOPERANDS_H

#include "StandIn.h"

namespace astfe {

/// An op whose body reads the indices of loops (`linalg.index`) as one that
/// reads 0, 1, 2, ... from an operand along each of these loops: whatever walks
/// the entries loads it as it loads other operands. It is as long as another
/// dense operand, or a cache holds it, and so costs little beside the entries.
class IndexOperands : public StandIn {
public:
  explicit IndexOperands(mlir::linalg::LinalgOp op);

  /// The op without indices: the op itself where it reads none, or those of a
  /// loop that is too long, or is something else than a linalg.generic of
  /// tensors.
  mlir::linalg::LinalgOp inner() const { return without; }
  /// As for StandIn; nothing where the op is its own.
  void keep();

private:
  mlir::linalg::LinalgOp without;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_INDEXOPERANDS_H
