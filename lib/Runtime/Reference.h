//===- Reference.h - C = A B in float64 over packed tables ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_RUNTIME_REFERENCE_H
#define ASTFE_LIB_RUNTIME_REFERENCE_H

#include "ASTFE/Core/Pack/Packed.h"
#include "ASTFE/Core/Tensor/CooTensor.h"

namespace astfe::rt {

/// The largest |c - A b| over the sum of |terms| of that element; b and c are
/// row-major with `columns` columns; infinite where only one of the two is NaN
/// or infinite (Core/Support/RelativeError.h). O(slots x columns).
template <typename T>
double maxRelativeError(const core::Packed &pattern,
                        const std::vector<T> &values, const std::vector<T> &b,
                        const std::vector<T> &c, int64_t columns);
/// The same over A as it was before it was packed, so that nothing of what the
/// kernel reads is believed.
template <typename T>
double maxRelativeError(const core::CsrMatrix &a, const std::vector<T> &b,
                        const std::vector<T> &c, int64_t columns);

} // namespace astfe::rt

#endif // ASTFE_LIB_RUNTIME_REFERENCE_H
