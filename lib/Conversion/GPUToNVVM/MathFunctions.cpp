//===- MathFunctions.cpp - functions of f32 without libdevice -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/GPUToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {

/// Ops on f32 or vectors of it.
class FloatBuilder {
public:
  FloatBuilder(Location loc, OpBuilder &builder, Type type)
      : b(loc, builder), type(type) {}

  Value constant(float value) {
    auto number = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b,
                                       DenseElementsAttr::get(vector, number));
    return arith::ConstantOp::create(b, number);
  }
  Value equal(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  }
  Value less(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value isWhole(Value x) { return equal(math::FloorOp::create(b, x), x); }

  ImplicitLocOpBuilder b;
  Type type;
};

/// a^b = s exp(b log |a|), where s is the sign that an odd b gives a negative
/// a. Upstream's expansion has no negative a, and 0^0 is NaN there.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32");
    FloatBuilder f(op.getLoc(), rewriter, op.getType());
    Value base = op.getLhs(), exponent = op.getRhs();
    Value zero = f.constant(0), one = f.constant(1);
    Value size = math::AbsFOp::create(f.b, base);
    Value scaled = f.multiply(exponent, math::LogOp::create(f.b, size));
    // log 1 = 0, which times an infinite exponent would be NaN.
    scaled = f.select(f.equal(size, one), zero, scaled);
    Value result = math::ExpOp::create(f.b, scaled);
    Value isEven = f.isWhole(f.multiply(exponent, f.constant(0.5)));
    Value ofNegative =
        f.select(f.isWhole(exponent),
                 f.select(isEven, result, arith::NegFOp::create(f.b, result)),
                 f.constant(std::numeric_limits<float>::quiet_NaN()));
    result = f.select(f.less(base, zero), ofNegative, result);
    rewriter.replaceOp(op, f.select(f.equal(exponent, zero), one, result));
    return success();
  }
};

} // namespace

void astfe::populateMathFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPow>(patterns.getContext());
  // Minimax polynomials, in part from Cephes.
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained(
        {math::ErfOp::getOperationName(), math::ExpM1Op::getOperationName(),
         math::ExpOp::getOperationName(), math::Log1pOp::getOperationName(),
         math::Log2Op::getOperationName(), math::LogOp::getOperationName(),
         math::TanhOp::getOperationName()},
        name);
  });
}
