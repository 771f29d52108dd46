//===- NonzeroEncoder.h - keys of a range of nonzeros ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys are cheaper to compute than to write and read again, so those who pass
// over the nonzeros take them a stretch at a time and keep none.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_NONZEROENCODER_H
#define ASTFE_LIB_CORE_NONZEROENCODER_H

#include "ASTFE/Core/SparseView.h"
#include <algorithm>
#include <memory>

namespace astfe::core {

class NonzeroEncoder {
public:
  /// `view` has passed check(), `space` is sound and of its shape; both outlive
  /// the encoder.
  NonzeroEncoder(const SparseView &view, const Space &space);
  ~NonzeroEncoder();

  bool hasParts() const { return manyParts; }
  /// Nonzeros [begin, end) to keys[0], keys[1], ...; to parts too where the
  /// space has several. Safe from many threads.
  void encode(int64_t begin, int64_t end, uint32_t *parts,
              uint64_t *keys) const;

  /// Calls body(first, count, parts, keys) for stretches of [begin, end);
  /// `parts` is null where the space has one.
  template <typename Body>
  void forEach(int64_t begin, int64_t end, Body body) const {
    constexpr int64_t kKeys = 2048;
    std::array<uint64_t, kKeys> keys;
    std::array<uint32_t, kKeys> parts;
    for (int64_t first = begin; first < end; first += kKeys) {
      int64_t count = std::min(kKeys, end - first);
      encode(first, first + count, parts.data(), keys.data());
      body(first, count,
           static_cast<const uint32_t *>(manyParts ? parts.data() : nullptr),
           static_cast<const uint64_t *>(keys.data()));
    }
  }

private:
  struct Ways;
  const SparseView &view;
  bool manyParts;
  std::unique_ptr<Ways> ways;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_NONZEROENCODER_H
