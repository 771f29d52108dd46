//===- MathFunctions.cpp - functions without libdevice --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/GPUToNVVM.h"
#include "FunctionBuilder.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace astfe;

namespace {

/// a^b = s exp(b log |a|), where s is the sign that an odd b gives a negative
/// a. Upstream's expansion has no negative a, and 0^0 is NaN there.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "expected another element");
    FunctionBuilder f(op.getLoc(), rewriter, op.getType());
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
                 f.constant(std::numeric_limits<double>::quiet_NaN()));
    result = f.select(f.less(base, zero), ofNegative, result);
    rewriter.replaceOp(op, f.select(f.equal(exponent, zero), one, result));
    return success();
  }
};

} // namespace

void astfe::populateMathFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPow>(patterns.getContext());
  populateDoubleFunctionPatterns(patterns);
  // Of f32: minimax polynomials, in part from Cephes.
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained(
        {math::ErfOp::getOperationName(), math::ExpM1Op::getOperationName(),
         math::ExpOp::getOperationName(), math::Log1pOp::getOperationName(),
         math::Log2Op::getOperationName(), math::LogOp::getOperationName(),
         math::TanhOp::getOperationName()},
        name);
  });
}
