//===- FunctionBuilder.h - ops of which functions are made ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_GPUTONVVM_FUNCTIONBUILDER_H
#define ASTFE_LIB_CONVERSION_GPUTONVVM_FUNCTIONBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace astfe {

/// Ops on f32 or f64, or on vectors of it.
class FunctionBuilder {
public:
  FunctionBuilder(mlir::Location loc, mlir::OpBuilder &builder, mlir::Type type)
      : b(loc, builder), type(type) {}

  mlir::Value constant(double value) {
    return splat(type, b.getFloatAttr(mlir::getElementTypeOrSelf(type), value));
  }
  mlir::Value equal(mlir::Value x, mlir::Value y) {
    return compare(mlir::arith::CmpFPredicate::OEQ, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) {
    return compare(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, x, y);
  }
  mlir::Value subtract(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, x, y);
  }
  mlir::Value multiply(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  mlir::Value divide(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, x, y);
  }
  /// x y + z, rounded once.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::math::FmaOp::create(b, x, y, z);
  }
  mlir::Value absolute(mlir::Value x) {
    return mlir::math::AbsFOp::create(b, x);
  }
  mlir::Value withSignOf(mlir::Value x, mlir::Value sign) {
    return mlir::math::CopySignOp::create(b, x, sign);
  }
  mlir::Value isWhole(mlir::Value x) {
    return equal(mlir::math::FloorOp::create(b, x), x);
  }
  /// c0 + c1 x + c2 x^2 + ...
  mlir::Value polynomial(mlir::Value x, mlir::ArrayRef<double> coefficients) {
    mlir::Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = multiplyAdd(sum, x, constant(coefficient));
    return sum;
  }
  mlir::Value splat(mlir::Type all, mlir::TypedAttr element) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(all))
      element = mlir::DenseElementsAttr::get(vector, mlir::Attribute(element));
    return mlir::arith::ConstantOp::create(b, element);
  }

  mlir::ImplicitLocOpBuilder b;
  mlir::Type type;
};

} // namespace astfe

#endif // ASTFE_LIB_CONVERSION_GPUTONVVM_FUNCTIONBUILDER_H
