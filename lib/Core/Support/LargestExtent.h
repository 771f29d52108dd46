//===- LargestExtent.h - how far indices go -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_SUPPORT_LARGESTEXTENT_H
#define ASTFE_LIB_CORE_SUPPORT_LARGESTEXTENT_H

#include <cstdint>

namespace astfe::core {

/// The largest extent of a mode: sums of an index and a box's side stay inside
/// 64 bits.
constexpr int64_t kLargestExtent = int64_t(1) << 62;

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_SUPPORT_LARGESTEXTENT_H
