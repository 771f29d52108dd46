//===- DoubleFunctions.cpp - functions of f64 without libdevice -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A polynomial or a rational function on a small interval, and what brings
// arguments there. The coefficients of log and erf are those of FreeBSD's msun
// (by Sun Microsystems, which grants their use freely), those of tanh Cephes's.
// There are no branches: lanes of a warp would take all of them anyway.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Exponential.h"
#include "ASTFE/Conversion/GPUToNVVM.h"
#include "FunctionBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace astfe;

namespace {

/// Ops on f64 and on its bits.
class DoubleBuilder : public FunctionBuilder {
public:
  DoubleBuilder(Location loc, OpBuilder &builder, Type type)
      : FunctionBuilder(loc, builder, type), integers(b.getI64Type()) {
    if (auto vector = dyn_cast<VectorType>(type))
      integers = vector.clone(integers);
  }

  Value integer(int64_t value) {
    return splat(integers, b.getI64IntegerAttr(value));
  }
  Value bitsOf(Value x) { return arith::BitcastOp::create(b, integers, x); }
  Value ofBits(Value bits) { return arith::BitcastOp::create(b, type, bits); }

  /// 2^n of a normal result.
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, n, integer(1023));
    return ofBits(arith::ShLIOp::create(b, biased, integer(52)));
  }
  Value exponential(Value x) { return expandExp(b, x, /*contract=*/true); }
  Value logarithm(Value x);

private:
  Type integers;
};

/// x = 2^k (1 + f), where 1 + f is in [sqrt(1/2), sqrt(2)), and s = f/(2 + f):
/// log(1 + f) = 2 s + 2/3 s^3 + ... = f - f^2/2 + s (f^2/2 + R(s^2)).
Value DoubleBuilder::logarithm(Value x) {
  Value subnormal = less(x, constant(0x1p-1022));
  Value scaled = select(subnormal, multiply(x, constant(0x1p54)), x);
  Value bits = bitsOf(scaled);
  // The bits of sqrt(1/2): numbers from there on have the next exponent.
  constexpr int64_t kRootBits = 0x3fe6a09e667f3bcd;
  Value above = arith::SubIOp::create(b, bits, integer(kRootBits));
  Value k = arith::ShRSIOp::create(b, above, integer(52));
  Value mantissa = ofBits(
      arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, k, integer(52))));
  Value f = subtract(mantissa, constant(1));
  Value s = divide(f, add(constant(2), f));
  Value z = multiply(s, s);
  Value r = multiply(
      z, polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                        2.857142874366239149e-01, 2.222219843214978396e-01,
                        1.818357216161805012e-01, 1.531383769920937332e-01,
                        1.479819860511658591e-01}));
  Value half = multiply(constant(0.5), multiply(f, f));
  Value count = arith::SIToFPOp::create(b, type, k);
  count = subtract(count, select(subnormal, constant(54), constant(0)));
  // ln 2 in two parts; the first has so few bits that k times it is exact.
  Value low = multiplyAdd(count, constant(1.90821492927058770002e-10),
                          multiply(s, add(half, r)));
  Value result = multiplyAdd(count, constant(6.93147180369123816490e-01),
                             subtract(f, subtract(half, low)));
  const double infinity = std::numeric_limits<double>::infinity();
  result = select(equal(x, constant(infinity)), x, result);
  result = select(equal(x, constant(0)), constant(-infinity), result);
  // Neither negative numbers nor NaN compare.
  return select(compare(arith::CmpFPredicate::OGE, x, constant(0)), result,
                constant(std::numeric_limits<double>::quiet_NaN()));
}

/// A function of one number.
template <typename Op>
struct Expand : OpRewritePattern<Op> {
  using Function = Value (*)(DoubleBuilder &, Value);
  Expand(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context, /*benefit=*/2), function(function) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "expected f64");
    DoubleBuilder d(op.getLoc(), rewriter, op.getType());
    rewriter.replaceOp(op, function(d, op.getOperand()));
    return success();
  }

private:
  Function function;
};

/// 2^x = 2^n exp((x - n) ln 2), in two steps, as 2^n may not be normal.
Value exp2Of(DoubleBuilder &d, Value x) {
  Value bound = d.constant(1100);
  Value inside = d.less(d.absolute(x), bound);
  Value near = d.select(inside, x, d.constant(0));
  Value whole = math::RoundEvenOp::create(d.b, near);
  Value result = d.exponential(
      d.multiply(d.subtract(near, whole), d.constant(0.693147180559945309417)));
  Value n = arith::FPToSIOp::create(d.b, d.integer(0).getType(), whole);
  Value half = arith::ShRSIOp::create(d.b, n, d.integer(1));
  result = d.multiply(result, d.powerOfTwo(half));
  result =
      d.multiply(result, d.powerOfTwo(arith::SubIOp::create(d.b, n, half)));
  // Beyond are 0, infinity and NaN, which exp has too.
  return d.select(inside, result, d.exponential(x));
}

/// Around 0 a series, since exp(x) - 1 would lose what it has of x.
Value expm1Of(DoubleBuilder &d, Value x) {
  SmallVector<double> series;
  double factorial = 1;
  for (int i = 1; i <= 14; ++i)
    series.push_back(1 / (factorial *= i));
  Value small = d.less(d.absolute(x), d.constant(0.35));
  return d.select(small, d.multiply(x, d.polynomial(x, series)),
                  d.subtract(d.exponential(x), d.constant(1)));
}

Value logOf(DoubleBuilder &d, Value x) { return d.logarithm(x); }

Value log2Of(DoubleBuilder &d, Value x) {
  return d.multiply(d.logarithm(x), d.constant(1.44269504088896340736));
}

/// u = 1 + x has lost a part of x; log(u) x / (u - 1) has not.
Value log1pOf(DoubleBuilder &d, Value x) {
  Value u = d.add(d.constant(1), x);
  Value lost = d.divide(x, d.subtract(u, d.constant(1)));
  Value isPlain =
      d.equal(x, d.constant(std::numeric_limits<double>::infinity()));
  Value log = d.logarithm(u);
  Value result = d.select(isPlain, log, d.multiply(log, lost));
  return d.select(d.equal(u, d.constant(1)), x, result);
}

Value tanhOf(DoubleBuilder &d, Value x) {
  Value size = d.absolute(x), one = d.constant(1);
  Value power = d.exponential(d.multiply(d.constant(2), size));
  Value large = d.subtract(one, d.divide(d.constant(2), d.add(power, one)));
  Value z = d.multiply(x, x);
  Value ratio = d.divide(
      d.polynomial(z, {-1.61468768441708447952e3, -9.92877231001918586564e1,
                       -9.64399179425052238628e-1}),
      d.polynomial(z, {4.84406305325125486048e3, 2.23548839060100448583e3,
                       1.12811678491632931402e2, 1}));
  Value small = d.multiplyAdd(d.multiply(x, z), ratio, x);
  return d.select(d.less(size, d.constant(0.625)), small,
                  d.withSignOf(large, x));
}

/// Intervals as in msun: x + x P/Q up to 0.84, around 1 a constant and a ratio,
/// then 1 - exp(-x^2 - 0.5625 + R/S) / x, with two sets of coefficients.
Value erfOf(DoubleBuilder &d, Value x) {
  Value size = d.absolute(x), one = d.constant(1);
  Value z = d.multiply(x, x);
  Value small = d.divide(
      d.polynomial(z, {1.28379167095512558561e-01, -3.25042107247001499370e-01,
                       -2.84817495755985104766e-02, -5.77027029648944159157e-03,
                       -2.37630166566501626084e-05}),
      d.polynomial(z,
                   {1, 3.97917223959155352819e-01, 6.50222499887672944485e-02,
                    5.08130628187576562776e-03, 1.32494738004321644526e-04,
                    -3.96022827877536812320e-06}));
  small = d.multiplyAdd(x, small, x);
  Value s = d.subtract(size, one);
  Value middle = d.divide(
      d.polynomial(s, {-2.36211856075265944077e-03, 4.14856118683748331666e-01,
                       -3.72207876035701323847e-01, 3.18346619901161753674e-01,
                       -1.10894694282396677476e-01, 3.54783043256182359371e-02,
                       -2.16637559486879084300e-03}),
      d.polynomial(s,
                   {1, 1.06420880400844228286e-01, 5.40397917702171048937e-01,
                    7.18286544141962662868e-02, 1.26171219808761642112e-01,
                    1.36370839120290507362e-02, 1.19844998467991074170e-02}));
  middle = d.add(d.constant(8.45062911510467529297e-01), middle);
  Value t = d.divide(one, z);
  Value near = d.divide(
      d.polynomial(t,
                   {-9.86494403484714822705e-03, -6.93858572707181764372e-01,
                    -1.05586262253232909814e+01, -6.23753324503260060396e+01,
                    -1.62396669462573470355e+02, -1.84605092906711035994e+02,
                    -8.12874355063065934246e+01, -9.81432934416914548592e+00}),
      d.polynomial(t,
                   {1, 1.96512716674392571292e+01, 1.37657754143519042600e+02,
                    4.34565877475229228821e+02, 6.45387271733267880336e+02,
                    4.29008140027567833386e+02, 1.08635005541779435134e+02,
                    6.57024977031928170135e+00, -6.04244152148580987438e-02}));
  Value far = d.divide(
      d.polynomial(t, {-9.86494292470009928597e-03, -7.99283237680523006574e-01,
                       -1.77579549177547519889e+01, -1.60636384855821916062e+02,
                       -6.37566443368389627722e+02, -1.02509513161107724954e+03,
                       -4.83519191608651397019e+02}),
      d.polynomial(t,
                   {1, 3.03380607434824582924e+01, 3.25792512996573918826e+02,
                    1.53672958608443695994e+03, 3.19985821950859553908e+03,
                    2.55305040643316442583e+03, 4.74528541206955367215e+02,
                    -2.24409524465858183362e+01}));
  Value exponent =
      d.add(d.constant(-0.5625),
            d.select(d.less(size, d.constant(1 / 0.35)), near, far));
  exponent = d.subtract(exponent, z);
  Value large = d.subtract(one, d.divide(d.exponential(exponent), size));
  large = d.select(d.less(size, d.constant(6)), large, one);
  Value result = d.select(d.less(size, d.constant(1.25)), middle, large);
  result = d.withSignOf(result, x);
  result = d.select(d.less(size, d.constant(0.84375)), small, result);
  return d.select(d.equal(x, x), result, x);
}

} // namespace

void astfe::populateDoubleFunctionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto exponential = [](DoubleBuilder &d, Value x) { return d.exponential(x); };
  patterns.add<Expand<math::ExpOp>>(context, exponential);
  patterns.add<Expand<math::Exp2Op>>(context, exp2Of);
  patterns.add<Expand<math::ExpM1Op>>(context, expm1Of);
  patterns.add<Expand<math::LogOp>>(context, logOf);
  patterns.add<Expand<math::Log2Op>>(context, log2Of);
  patterns.add<Expand<math::Log1pOp>>(context, log1pOf);
  patterns.add<Expand<math::TanhOp>>(context, tanhOf);
  patterns.add<Expand<math::ErfOp>>(context, erfOf);
}
