//===- BodyCombiner.h - how a body adds to its output -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_BODYCOMBINER_H
#define ASTFE_LIB_TRANSFORMS_BODYCOMBINER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe {

/// Of two numbers: what is taken away is added with the other sign, which
/// rounds alike.
bool isDifference(mlir::Operation *op);

/// How the body of an op combines a point's contribution with what the output
/// holds, of which nothing else is made.
struct BodyCombiner {
  mlir::Operation *last = nullptr; ///< what the body yields
  /// The op of two values: `last`, or the only one of the sparse_tensor.reduce
  /// that it is.
  mlir::Operation *op = nullptr;

  /// Null ops where the body does something else.
  static BodyCombiner of(mlir::linalg::GenericOp op);
  explicit operator bool() const { return op; }

  /// It adds up, subtracts or multiplies half floats, so that each step would
  /// round.
  bool rounds() const;
  /// Contributions are taken away from the output, as `last`.
  bool takesAway() const;
  /// What it ignores, as what the output holds at first; null where there is
  /// none.
  mlir::TypedAttr neutral() const;
  /// A copy of the op for two other values, of which the second is the output.
  /// What was taken away from the neutral element is added.
  mlir::Value clone(mlir::OpBuilder &b, mlir::Value contribution,
                    mlir::Value output) const;
  /// Lets the body, whose output's argument is `output`, combine in `wide`.
  void widen(mlir::RewriterBase &rewriter, mlir::BlockArgument output,
             mlir::Type wide) const;
};

/// Each element of `from` into `into`, by extf or truncf.
template <typename Conversion>
mlir::Value converted(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from,
                      mlir::Value into) {
  auto type = mlir::cast<mlir::RankedTensorType>(into.getType());
  const mlir::AffineMap map =
      b.getMultiDimIdentityMap(unsigned(type.getRank()));
  const mlir::SmallVector<mlir::utils::IteratorType> loops(
      size_t(type.getRank()), mlir::utils::IteratorType::parallel);
  auto body = [&](mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange elements) {
    mlir::Value made =
        Conversion::create(b, loc, type.getElementType(), elements.front());
    mlir::linalg::YieldOp::create(b, loc, made);
  };
  return mlir::linalg::GenericOp::create(
             b, loc, type, from, into,
             llvm::ArrayRef<mlir::AffineMap>{map, map}, loops, body)
      .getResult(0);
}

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_BODYCOMBINER_H
