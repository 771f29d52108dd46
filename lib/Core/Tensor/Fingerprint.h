//===- Fingerprint.h - the hash of a pattern, a batch at a time ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nonzero's coordinates are mixed (FNV-1a over whole words, then a finalizer)
// and the results added, so that batches can be hashed by whoever has their
// coordinates at hand, in any order.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TENSOR_FINGERPRINT_H
#define ASTFE_LIB_CORE_TENSOR_FINGERPRINT_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// Adds the hashes of `count` nonzeros, at most kBatch, to `sum`; returns
/// whether each coordinate is in 0..extent-1 of its mode (else the sum is
/// nothing's). T is int32_t or int64_t.
template <typename T>
bool addHashes(ArrayRef<const T *> modes, int64_t count,
               ArrayRef<int64_t> shape, uint64_t &sum);

/// The fingerprint of all nonzeros, whose hashes add up to `sum`.
uint64_t fingerprintOf(ArrayRef<int64_t> shape, uint64_t sum);

/// The fingerprint of a view that passes checkPositions(); none if a coordinate
/// is out of range.
std::optional<uint64_t> fingerprintIfInside(const SparseView &view,
                                            unsigned threads);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TENSOR_FINGERPRINT_H
