//===- Exponential.h - exp as multiplications and additions -----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of `math.exp` becomes one call of the C library per lane. Here it is
// arithmetic on all lanes at once:
//
//   n = the integer next to x / ln 2,  r = x - n ln 2,  |r| <= ln 2 / 2
//   exp(x) = 2^n (1 + r + r^2/2! + ... + r^D/D!)
//
// What the sum leaves out is below r^(D+1)/(D+1)!: 5.2e-9 of the result for
// D = 7 and 4e-18 for D = 13, less than a tenth of a unit in the last place of
// f32 and f64. With the roundings, results are within two units in the last
// place of exp(x). Results below the smallest normal number are rounded once
// more; exp(-inf) is 0, exp(inf) is inf, NaN stays NaN. ln 2 is taken off in two
// parts, of which the first has so few bits that its product with n is exact
// (Cody and Waite, Software Manual for the Elementary Functions, 1980).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_EXPONENTIAL_H
#define ASTFE_CONVERSION_EXPONENTIAL_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe {

/// Whether expandExp knows the type: f32 and f64, and vectors of them.
bool hasExpExpansion(mlir::Type type);

/// exp(x); `contract` lets products be fused with the sums around them.
mlir::Value expandExp(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                      bool contract);

} // namespace astfe

#endif // ASTFE_CONVERSION_EXPONENTIAL_H
