//===- NonzeroEncoder.h - keys of a range of nonzeros ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys are cheaper to compute than to write and read again, so those who pass
// over the nonzeros take them a batch at a time and keep none.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TENSOR_NONZEROENCODER_H
#define ASTFE_LIB_CORE_TENSOR_NONZEROENCODER_H

#include "ASTFE/Core/Tensor/SparseView.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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

  /// Takes (first, count, parts, keys) of a batch; `parts` is null where the
  /// space has one.
  using Visitor =
      llvm::function_ref<void(int64_t first, int64_t count,
                              const uint32_t *parts, const uint64_t *keys)>;
  /// Calls body for the batches of [begin, end).
  void forEach(int64_t begin, int64_t end, Visitor body) const;
  /// The same where coordinates have not been checked, only positions: adds
  /// the nonzeros' hashes (Fingerprint.h) to `hash`, and stops and returns
  /// false where one is out of range.
  bool forEachUnchecked(int64_t begin, int64_t end, uint64_t &hash,
                        Visitor body) const;

private:
  struct Ways;
  template <typename T>
  void encodeBatch(ArrayRef<const T *> coordinates, int64_t count,
                   uint32_t *parts, uint64_t *keys) const;
  /// Calls body(first, count, coordinates) for batches until it returns
  /// false; returns whether it never did.
  template <typename Body>
  bool forBatches(int64_t begin, int64_t end, Body body) const;

  const SparseView &view;
  bool manyParts;
  std::unique_ptr<Ways> ways;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TENSOR_NONZEROENCODER_H
