//===- RelativeError.h - how far a result is from its reference -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum in floating point is right when it differs from the exact one by a
// small multiple of (unit roundoff) x (sum of |terms|), however much cancels
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). So
// errors are taken relative to the sum of |terms|.
//
// Worked example: 3 - 3 + 1e-7 computed as 0 has the error 1e-7 / 6.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_RELATIVEERROR_H
#define ASTFE_CORE_SUPPORT_RELATIVEERROR_H

#include <cmath>
#include <limits>

namespace astfe::core {

/// |got - want| / magnitude, with `magnitude` the sum of |terms|. 0 where both
/// are equal or both NaN; infinite where only one is NaN or infinite, and where
/// an element without terms is not exact.
inline double relativeError(double got, double want, double magnitude) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  if (!std::isfinite(got) || !std::isfinite(want))
    return std::numeric_limits<double>::infinity();
  return magnitude > 0 ? std::fabs(got - want) / magnitude
                       : std::numeric_limits<double>::infinity();
}

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_RELATIVEERROR_H
