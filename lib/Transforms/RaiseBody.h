//===- RaiseBody.h - the body of a raised computation -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a linalg op does with each entry of its sparse operand, as the body of
// an astfe.compute: what it contributes to the output, and how contributions
// are combined. The ops of sparse_tensor that say what happens where nothing is
// stored (binary, unary, select, reduce) become what they do with an entry.
//
// Entries that are not stored have to change nothing. Either they contribute
// nothing at all, which sparse_tensor's ops say by an empty region, or a zero,
// which the combiner ignores (Analysis/NeutralZeros.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_RAISEBODY_H
#define ASTFE_LIB_TRANSFORMS_RAISEBODY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <memory>
#include <string>

namespace astfe {

struct RaisedBody {
  /// A block with an argument for the stored value and one for each input that
  /// is no scalar, in their order, and an astfe.yield of one contribution. It
  /// reads nothing from outside but scalars that are no constants.
  std::unique_ptr<mlir::Region> region;
  mlir::arith::AtomicRMWKind combiner = mlir::arith::AtomicRMWKind::addf;

  mlir::Block &block() const { return region->front(); }
  mlir::Value contribution() const {
    return block().getTerminator()->getOperand(0);
  }
};

/// The body of `op` for inputs that are stored at the same places, of which the
/// first comes first; none, and why, where entries that are not stored may
/// change something. With `sparseOutput` the output has their pattern, and
/// holds nothing before.
std::optional<RaisedBody> raiseBody(mlir::linalg::LinalgOp op,
                                    llvm::ArrayRef<unsigned> sparseInputs,
                                    bool sparseOutput, std::string &whyNot);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_RAISEBODY_H
