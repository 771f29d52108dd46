//===- CountProfile.cpp - a profile from the nonzeros ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over the coordinates checks and hashes them and computes their keys.
//
//   - Rows of CSR as they are need no keys: positions tell (CountRows.h).
//   - Where nonzeros seem to be spread evenly, judging by a few, it counts keys
//     by log2(n / min) + 5 leading bits and keeps none: mostly that is the
//     whole tree (CountEvenly.h). Where it is not, the other way is taken.
//   - Where they cluster, keys are dropped into buckets by 10 leading bits
//     (KeyBuckets.h). The buckets' sizes are the top of the tree of bins; the
//     rest of it is counted bucket by bucket, in the cache (CountBins.h).
//
// Memory: 4 or 8 bytes for each key, and as much again for the keys of a bucket
// (of each thread) while it is counted.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Profile/Profile.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/Shape.h"
#include "Profile/CountEvenly.h"
#include "Profile/CountRows.h"
#include "Profile/KeyBuckets.h"
#include "Tensor/Fingerprint.h"
#include "Tensor/NonzeroEncoder.h"
#include "Tensor/Nonzeros.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace astfe::core;

namespace {

/// The buckets of one part, for keys by their first bits.
struct PartBuckets {
  size_t first;
  unsigned digits; ///< bits of the keys; may be none
  BinRule rule;

  size_t bucket(uint64_t key) const {
    return first + size_t(key >> 1 >> (63 - digits));
  }
  size_t size() const { return size_t(1) << digits; }
};

/// A bin, or a bucket that is none.
struct PartPiece {
  uint32_t part;
  CountedBox piece;
};

class ProfileCounter {
public:
  ProfileCounter(const SparseView &view, const Space &space,
                 const ProfileOptions &options);
  /// False where a coordinate is out of range.
  bool count(Profile &profile);

private:
  unsigned digitsFor(unsigned depth, int64_t share) const;
  int64_t countTasks() const;
  template <typename Rest>
  bool countAs(Profile &profile);
  template <typename Rest>
  bool fillBuckets(KeyBuckets<Rest> &keys);
  std::vector<PartPiece> collectPieces(ArrayRef<int64_t> counts) const;
  bool isBin(const PartPiece &p) const {
    return parts[p.part].rule.isBin(p.piece.prefix, p.piece.count);
  }
  template <typename Rest>
  void splitPieces(const KeyBuckets<Rest> &keys, ArrayRef<PartPiece> pieces);
  int64_t taskBegin(int64_t task) const {
    return int64_t(__int128(view.nonzeros()) * task / tasks);
  }

  const SparseView &view;
  NonzeroEncoder encoder;
  unsigned threads;
  int64_t min, tasks;
  std::vector<PartBuckets> parts;
  size_t buckets = 0;
  uint64_t hash = 0; ///< of all nonzeros
  std::vector<std::vector<CountedBox>>
      bins; ///< by piece, of those that are none
};

} // namespace

ProfileCounter::ProfileCounter(const SparseView &view, const Space &space,
                               const ProfileOptions &options)
    : view(view), encoder(view, space), threads(options.threads),
      min(options.min) {
  auto share = int64_t(size_t(view.nonzeros()) / space.parts.size());
  for (const Part &part : space.parts) {
    unsigned depth = part.order().prefixBits();
    parts.push_back({buckets, digitsFor(depth, share), {depth, min}});
    buckets += parts.back().size();
  }
  tasks = countTasks();
}

/// A task has fewer than 2^31 keys, and enough to fill its blocks: each bucket
/// may begin one, and altogether they take no more than half of the keys.
int64_t ProfileCounter::countTasks() const {
  constexpr int64_t kMostTasks = 64, kFewestKeys = int64_t(1) << 20;
  constexpr int64_t kKeysOfBlock = KeyBuckets<uint32_t>::kBlock;
  int64_t most = std::min<int64_t>(threads, kMostTasks);
  most = std::min(most, view.nonzeros() / kFewestKeys);
  most =
      std::min(most, view.nonzeros() / (2 * int64_t(buckets) * kKeysOfBlock));
  int64_t fewest = view.nonzeros() / (int64_t(1) << 30) + 1;
  return std::max(most, fewest);
}

/// As many as leave a bucket of evenly spread nonzeros full blocks; two more
/// where the rest then fits 32 bits.
unsigned ProfileCounter::digitsFor(unsigned depth, int64_t share) const {
  constexpr unsigned kDigits = 10, kMostDigits = 12, kNarrow = 32;
  constexpr uint64_t kBucket = 1024;
  auto wanted = llvm::Log2_64(std::max(uint64_t(share) / kBucket, uint64_t(1)));
  unsigned digits = std::min({wanted, kDigits, depth});
  bool fits = digits == kDigits && depth <= kMostDigits + kNarrow;
  return fits ? std::max(digits, depth - std::min(depth, kNarrow)) : digits;
}

template <typename Rest>
bool ProfileCounter::fillBuckets(KeyBuckets<Rest> &keys) {
  constexpr unsigned kDropped = 64 - 8 * sizeof(Rest);
  std::vector<uint64_t> hashes(size_t(tasks), 0);
  std::vector<uint8_t> sound(size_t(tasks), 0);
  parallelFor(tasks, threads, [&](int64_t task) {
    auto &filler = keys.begin(size_t(task));
    sound[size_t(task)] = encoder.forEachUnchecked(
        taskBegin(task), taskBegin(task + 1), hashes[size_t(task)],
        [&](int64_t, int64_t count, const uint32_t *partOf,
            const uint64_t *keys) {
          auto add = [&](const PartBuckets &part,
                         uint64_t key) __attribute__((always_inline)) {
            filler.add(part.bucket(key), Rest(key << part.digits >> kDropped));
          };
          const PartBuckets whole = parts[0];
          if (!partOf)
            forEachApart(ArrayRef<uint64_t>(keys, size_t(count)),
                         [&](uint64_t key) { add(whole, key); });
          for (int64_t i = 0; i < count && partOf; ++i)
            add(parts[partOf[i]], keys[i]);
        });
    filler.end();
  });
  hash = std::accumulate(hashes.begin(), hashes.end(), uint64_t(0));
  return std::find(sound.begin(), sound.end(), 0) == sound.end();
}

std::vector<PartPiece>
ProfileCounter::collectPieces(ArrayRef<int64_t> counts) const {
  std::vector<PartPiece> pieces;
  std::vector<int64_t> ends;
  std::vector<CountedBox> found;
  for (uint32_t p = 0; p < parts.size(); ++p) {
    ends.assign(parts[p].size() + 1, 0);
    for (size_t b = 0; b < parts[p].size(); ++b)
      ends[b + 1] = ends[b] + counts[parts[p].first + b];
    found.clear();
    parts[p].rule.collect(ends.data(), Prefix(), 0, int64_t(parts[p].size()),
                          found);
    for (const CountedBox &piece : found)
      pieces.push_back({p, piece});
  }
  return pieces;
}

/// Large pieces are counted by all threads, the others dealt out.
template <typename Rest>
void ProfileCounter::splitPieces(const KeyBuckets<Rest> &keys,
                                 ArrayRef<PartPiece> pieces) {
  auto runsOf = [&](const PartPiece &p) {
    return keys[parts[p.part].bucket(p.piece.prefix.bits)];
  };
  auto isShared = [&](const PartPiece &p) {
    return threads > 1 && p.piece.count >= kSharedCount;
  };
  // A run has memory of its own: few where there is one thread.
  const int64_t count = int64_t(pieces.size());
  const int64_t runs = threads > 1 ? std::min<int64_t>(count, 256) : 1;
  bins.resize(pieces.size());
  parallelFor(runs, threads, [&](int64_t run) {
    std::optional<BinCounter<Rest>> counter;
    uint32_t part = 0;
    for (int64_t i = count * run / runs; i < count * (run + 1) / runs; ++i) {
      const PartPiece &p = pieces[size_t(i)];
      if (isBin(p) || isShared(p))
        continue;
      if (!counter || part != p.part)
        counter.emplace(parts[p.part].rule, parts[p.part].digits);
      part = p.part;
      counter->count(runsOf(p), p.piece.count, p.piece.prefix, bins[size_t(i)]);
    }
  });
  for (size_t i = 0; i < pieces.size(); ++i) {
    const PartPiece &p = pieces[i];
    if (!isBin(p) && isShared(p))
      BinCounter<Rest>(parts[p.part].rule, parts[p.part].digits)
          .countTogether(runsOf(p), p.piece.count, p.piece.prefix, threads,
                         bins[i]);
  }
}

static void appendBin(Profile &profile, uint32_t part, const CountedBox &bin) {
  profile.part.push_back(part);
  profile.length.push_back(bin.prefix.length);
  profile.prefix.push_back(bin.prefix.bits);
  profile.nonzeros.push_back(bin.count);
}

template <typename Rest>
bool ProfileCounter::countAs(Profile &profile) {
  std::vector<int64_t> sizes;
  for (int64_t task = 0; task < tasks; ++task)
    sizes.push_back(taskBegin(task + 1) - taskBegin(task));
  KeyBuckets<Rest> keys(buckets, sizes);
  if (!fillBuckets(keys))
    return false;
  profile.fingerprint = fingerprintOf(view.shape, hash);
  std::vector<PartPiece> pieces = collectPieces(keys.finish());
  splitPieces(keys, pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (isBin(pieces[i]))
      appendBin(profile, pieces[i].part, pieces[i].piece);
    for (const CountedBox &bin : bins[i])
      appendBin(profile, pieces[i].part, bin);
  }
  return true;
}

bool ProfileCounter::count(Profile &profile) {
  std::vector<CountedBox> even;
  if (countEvenly(view, encoder, parts[0].rule, threads, hash, even)) {
    profile.fingerprint = fingerprintOf(view.shape, hash);
    for (const CountedBox &bin : even)
      appendBin(profile, 0, bin);
    return true;
  }
  unsigned longest = 0;
  for (const PartBuckets &part : parts)
    longest = std::max(longest, part.rule.depth - part.digits);
  return longest <= 32 ? countAs<uint32_t>(profile)
                       : countAs<uint64_t>(profile);
}

Result<Profile> astfe::core::countProfile(const SparseView &view,
                                          const Space &space,
                                          const ProfileOptions &options) {
  if (options.min < 1)
    return Error{"expected min of at least 1 but got " +
                 std::to_string(options.min)};
  if (view.shape != space.shape)
    return Error{"expected a tensor of shape " + shapeText(space.shape) +
                 " but got " + shapeText(view.shape)};
  if (Status s = space.check(); !s)
    return s.error();
  if (Status s = view.checkPositions(); !s)
    return s.error();

  Profile profile;
  profile.space = space;
  profile.fingerprint = fingerprintOf(view.shape, 0);
  if (auto bins = countRows(view, space, options.min)) {
    auto fingerprint = fingerprintIfInside(view, options.threads);
    if (!fingerprint)
      return view.check().error();
    profile.fingerprint = *fingerprint;
    for (const CountedBox &bin : *bins)
      appendBin(profile, 0, bin);
    return profile;
  }
  // Coordinates are checked on the way.
  if (view.nonzeros() > 0 &&
      !ProfileCounter(view, profile.space, options).count(profile))
    return view.check().error();
  return profile;
}
