//===- CountEvenly.cpp - the bins of evenly spread keys -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile/CountEvenly.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Profile/KeyBuckets.h"
#include "Tensor/Nonzeros.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace astfe::core;

/// As many samples as buckets for them: about one in each, and never this many
/// where keys are spread evenly over a quarter of the buckets or more.
static constexpr unsigned kSampleLog2 = 10, kMostSamples = 20;
static constexpr int64_t kFewest = int64_t(1) << 17;
static constexpr unsigned kMostDigits = 22, kSpareDigits = 5;

static bool isEven(const SparseView &view, const NonzeroEncoder &encoder) {
  constexpr int64_t kSamples = int64_t(1) << kSampleLog2;
  std::vector<unsigned> counts(kSamples, 0);
  uint64_t unused = 0;
  bool even = true;
  for (int64_t i = 0; i < kSamples && even; ++i) {
    auto at = int64_t(__int128(view.nonzeros()) * i / kSamples);
    auto count = [&](int64_t, int64_t, const uint32_t *, const uint64_t *keys) {
      even = ++counts[size_t(keys[0] >> (64 - kSampleLog2))] <= kMostSamples;
    };
    even &= encoder.forEachUnchecked(at, at + 1, unused, count);
  }
  return even;
}

namespace {

/// Counters of one task.
struct Counts {
  std::vector<uint32_t> buckets;
  uint64_t hash = 0;
  bool sound = true;
};

} // namespace

static std::vector<Counts> countTasks(const SparseView &view,
                                      const NonzeroEncoder &encoder,
                                      unsigned digits, unsigned threads) {
  constexpr unsigned kMostTasks = 16;
  // Counters have 32 bits, and are at most two for each nonzero.
  int64_t most = std::min(threads, kMostTasks);
  most = std::min(most, (view.nonzeros() >> digits) * 2);
  int64_t fewest = view.nonzeros() / (int64_t(1) << 31) + 1;
  const int64_t tasks = std::max(most, fewest);
  std::vector<Counts> counts(static_cast<size_t>(tasks));
  parallelFor(tasks, threads, [&](int64_t task) {
    Counts &own = counts[size_t(task)];
    makeLarge(own.buckets, size_t(1) << digits);
    uint32_t *buckets = own.buckets.data();
    own.sound = encoder.forEachUnchecked(
        int64_t(__int128(view.nonzeros()) * task / tasks),
        int64_t(__int128(view.nonzeros()) * (task + 1) / tasks), own.hash,
        [&](int64_t, int64_t count, const uint32_t *, const uint64_t *keys) {
          forEachApart(ArrayRef<uint64_t>(keys, size_t(count)),
                       [&](uint64_t key) { ++buckets[key >> (64 - digits)]; });
        });
  });
  return counts;
}

bool astfe::core::countEvenly(const SparseView &view,
                              const NonzeroEncoder &encoder,
                              const BinRule &rule, unsigned threads,
                              uint64_t &hash, std::vector<CountedBox> &bins) {
  if (encoder.hasParts() || view.nonzeros() < kFewest ||
      rule.depth < kSampleLog2 || !isEven(view, encoder))
    return false;
  auto most = uint64_t(std::max<int64_t>(view.nonzeros() / rule.min, 1));
  unsigned digits =
      std::min({llvm::Log2_64(most) + kSpareDigits, kMostDigits,
                llvm::Log2_64(uint64_t(view.nonzeros())), rule.depth});
  std::vector<Counts> counts = countTasks(view, encoder, digits, threads);
  std::vector<int64_t> ends((size_t(1) << digits) + 1, 0);
  bool sound = true;
  hash = 0;
  for (const Counts &own : counts) {
    for (size_t b = 0; b < own.buckets.size(); ++b)
      ends[b + 1] += own.buckets[b];
    hash += own.hash;
    sound &= own.sound;
  }
  for (size_t b = 1; b < ends.size(); ++b)
    ends[b] += ends[b - 1];
  rule.collect(ends.data(), Prefix(), 0, int64_t(1) << digits, bins);
  return sound &&
         std::all_of(bins.begin(), bins.end(), [&](const CountedBox &bin) {
           return rule.isBin(bin.prefix, bin.count);
         });
}
