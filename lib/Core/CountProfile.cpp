//===- CountProfile.cpp - a profile from the nonzeros ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes over the coordinates, which store no key that they do not need:
//
//   1. The keys are computed, counted by their leading bits (log2(n / min) + 5
//      of them, at most 22) and forgotten. The sums of these counts are the
//      upper levels of the tree of bins; with evenly spread nonzeros, all of
//      it. Nonzeros come in an order in which neighbours have few different
//      leading bits, so the counters in use mostly fit a cache.
//   2. Where buckets still have to be split (their nonzeros cluster), the keys
//      are computed again, which takes less time than writing and reading them
//      would have. What follows their leading bits is gathered, in 32 bits
//      where that is enough, and each bucket's bins are counted in the cache
//      (CountBins.h).
//
// Memory: a counter for 8 nonzeros or more (with the default min), and 4 or 8
// bytes for each key gathered.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Parallel.h"
#include "ASTFE/Core/Profile.h"
#include "CountBins.h"
#include "LargeArray.h"
#include "NonzeroEncoder.h"
#include "Nonzeros.h"
#include "llvm/Support/MathExtras.h"

using namespace astfe::core;

namespace {

/// The counters of one part, for keys by their first bits.
struct Counters {
  size_t first;
  unsigned digits; ///< bits of the keys; may be none

  size_t bucket(uint64_t key) const {
    return first + size_t(key >> 1 >> (63 - digits));
  }
};

/// A bin, or a bucket that is none.
struct PartPiece {
  uint32_t part;
  Piece piece;
};

class ProfileCounter {
public:
  ProfileCounter(const SparseView &view, const Space &space,
                 const ProfileOptions &options);
  void count(Profile &profile);

private:
  static constexpr unsigned kMostDigits = 22;
  static constexpr int64_t kMostTasks = 64;

  unsigned digitsFor(unsigned depth, int64_t share) const;
  void countLeadingBits();
  void collectPieces();
  bool isBin(const PartPiece &p) const {
    return counters[p.part].isBin(p.piece.prefix, p.piece.count);
  }
  size_t bucketOf(const PartPiece &p) const {
    return parts[p.part].bucket(p.piece.prefix.bits);
  }
  template <typename Rest>
  void splitBuckets();
  template <typename Rest>
  Scratch<Rest> gatherKeys() const;
  template <typename Rest>
  void countBucket(size_t g, const Rest *rests, Scratch<uint64_t> &room,
                   unsigned threads);
  int64_t taskBegin(int64_t task) const {
    return int64_t(__int128(view.nonzeros()) * task / tasks);
  }
  /// Calls body(bucket, part, key) for the nonzeros of a task.
  template <typename Body>
  void forKeys(int64_t task, Body body) const;

  const SparseView &view;
  NonzeroEncoder encoder;
  unsigned threads;
  int64_t min, tasks;
  std::vector<BinCounter> counters; ///< by part
  std::vector<Counters> parts;
  size_t buckets = 0;
  /// counts[task][bucket].
  std::vector<std::vector<uint32_t>> counts;
  std::vector<PartPiece> pieces;
  /// The pieces that are no bins, where the keys of each begin (and the end),
  /// and the bins in each.
  std::vector<size_t> gathered;
  std::vector<int64_t> begins{0};
  std::vector<std::vector<Piece>> bins;
};

} // namespace

ProfileCounter::ProfileCounter(const SparseView &view, const Space &space,
                               const ProfileOptions &options)
    : view(view), encoder(view, space), threads(options.threads),
      min(options.min) {
  // A task's counters have 32 bits.
  int64_t fewest = view.nonzeros() / (int64_t(1) << 31) + 1;
  tasks = std::clamp<int64_t>(threads, 1, kMostTasks);
  tasks = std::max(std::min(tasks, chunkCount(view.nonzeros())), fewest);
  auto share = int64_t(size_t(view.nonzeros()) / space.parts.size());
  for (const Part &part : space.parts) {
    unsigned depth = part.order().prefixBits();
    counters.emplace_back(depth, min);
    parts.push_back({buckets, digitsFor(depth, share)});
    buckets += size_t(1) << parts.back().digits;
  }
}

/// Enough for bins of `min` in a share of the nonzeros that is spread evenly,
/// and then some.
unsigned ProfileCounter::digitsFor(unsigned depth, int64_t share) const {
  auto binsLog2 = llvm::Log2_64(uint64_t(std::max<int64_t>(share / min, 1)));
  return std::min({5 + binsLog2, kMostDigits, depth});
}

template <typename Body>
void ProfileCounter::forKeys(int64_t task, Body body) const {
  encoder.forEach(taskBegin(task), taskBegin(task + 1),
                  [&](int64_t, int64_t count, const uint32_t *partOf,
                      const uint64_t *keys) {
                    if (!partOf) {
                      const Counters whole = parts[0];
                      for (int64_t i = 0; i < count; ++i)
                        body(whole.bucket(keys[i]), 0, keys[i]);
                      return;
                    }
                    for (int64_t i = 0; i < count; ++i)
                      body(parts[partOf[i]].bucket(keys[i]), partOf[i],
                           keys[i]);
                  });
}

void ProfileCounter::countLeadingBits() {
  counts.resize(size_t(tasks));
  parallelFor(tasks, threads, [&](int64_t task) {
    std::vector<uint32_t> &own = counts[size_t(task)];
    makeLarge(own, buckets);
    uint32_t *counters = own.data();
    forKeys(task, [counters](size_t bucket, uint32_t, uint64_t) {
      ++counters[bucket];
    });
  });
}

void ProfileCounter::collectPieces() {
  std::vector<int64_t> ends;
  std::vector<Piece> found;
  for (uint32_t p = 0; p < parts.size(); ++p) {
    size_t size = size_t(1) << parts[p].digits;
    ends.assign(size + 1, 0);
    for (const std::vector<uint32_t> &own : counts)
      for (size_t b = 0; b < size; ++b)
        ends[b + 1] += own[parts[p].first + b];
    for (size_t b = 0; b < size; ++b)
      ends[b + 1] += ends[b];
    found.clear();
    counters[p].collect(ends.data(), Prefix(), 0, int64_t(size), found);
    for (const Piece &piece : found) {
      pieces.push_back({p, piece});
      if (isBin(pieces.back()))
        continue;
      gathered.push_back(pieces.size() - 1);
      begins.push_back(begins.back() + piece.count);
    }
  }
}

/// The bits after the leading ones of the keys in buckets that are no bins, by
/// bucket.
template <typename Rest>
Scratch<Rest> ProfileCounter::gatherKeys() const {
  // The number of each such bucket, and where each task puts its keys.
  const auto none = uint32_t(gathered.size());
  std::vector<uint32_t> numbers;
  makeLarge(numbers, buckets);
  std::fill(numbers.begin(), numbers.end(), none);
  std::vector<std::vector<int64_t>> next(
      size_t(tasks), std::vector<int64_t>(gathered.size() + 1));
  for (uint32_t g = 0; g < none; ++g) {
    size_t bucket = bucketOf(pieces[gathered[g]]);
    numbers[bucket] = g;
    int64_t place = begins[g];
    for (size_t task = 0; task < next.size(); ++task) {
      next[task][g] = place;
      place += counts[task][bucket];
    }
  }
  Scratch<Rest> rests(static_cast<size_t>(begins.back()));
  parallelFor(tasks, threads, [&](int64_t task) {
    int64_t *own = next[size_t(task)].data();
    Rest unused; // Takes the other keys, rather than a branch.
    forKeys(task, [&](size_t bucket, uint32_t part, uint64_t key) {
      uint32_t number = numbers[bucket];
      auto rest = Rest(key << parts[part].digits >> (64 - 8 * sizeof(Rest)));
      (number == none ? unused : rests[size_t(own[number])]) = rest;
      own[number] += number != none;
    });
  });
  return rests;
}

/// Makes keys of the rests and counts the bins.
template <typename Rest>
void ProfileCounter::countBucket(size_t g, const Rest *rests,
                                 Scratch<uint64_t> &room, unsigned threads) {
  const PartPiece &piece = pieces[gathered[g]];
  auto count = size_t(piece.piece.count);
  if (room.size() < 2 * count)
    room = Scratch<uint64_t>(count * 3);
  for (size_t i = 0; i < count; ++i)
    room[i] = piece.piece.prefix.bits | uint64_t(rests[size_t(begins[g]) + i])
                                                << (64 - 8 * sizeof(Rest)) >>
                                            piece.piece.prefix.length;
  counters[piece.part].count({room.data(), room.data() + count, int64_t(count)},
                             piece.piece.prefix, threads, bins[g]);
}

/// Large buckets are counted by all threads, the others dealt out.
template <typename Rest>
void ProfileCounter::splitBuckets() {
  constexpr int64_t kLarge = int64_t(1) << 20, kRun = 64;
  Scratch<Rest> rests = gatherKeys<Rest>();
  auto count = int64_t(gathered.size());
  bins.resize(gathered.size());
  auto isLarge = [&](int64_t g) {
    return pieces[gathered[size_t(g)]].piece.count >= kLarge;
  };
  parallelFor((count + kRun - 1) / kRun, threads, [&](int64_t run) {
    Scratch<uint64_t> room(0);
    for (int64_t g = run * kRun; g < std::min(count, (run + 1) * kRun); ++g)
      if (!isLarge(g))
        countBucket(size_t(g), rests.data(), room, 1);
  });
  Scratch<uint64_t> room(0);
  for (int64_t g = 0; g < count; ++g)
    if (isLarge(g))
      countBucket(size_t(g), rests.data(), room, threads);
}

static void appendBin(Profile &profile, uint32_t part, const Piece &bin) {
  profile.part.push_back(part);
  profile.length.push_back(bin.prefix.length);
  profile.prefix.push_back(bin.prefix.bits);
  profile.nonzeros.push_back(bin.count);
}

void ProfileCounter::count(Profile &profile) {
  countLeadingBits();
  collectPieces();
  unsigned longest = 0;
  for (size_t p = 0; p < parts.size(); ++p)
    longest =
        std::max(longest, counters[p].bitsBelow({0, uint8_t(parts[p].digits)}));
  if (!gathered.empty() && longest <= 32)
    splitBuckets<uint32_t>();
  else if (!gathered.empty())
    splitBuckets<uint64_t>();
  size_t next = 0;
  for (const PartPiece &piece : pieces) {
    if (isBin(piece)) {
      appendBin(profile, piece.part, piece.piece);
      continue;
    }
    for (const Piece &bin : bins[next++])
      appendBin(profile, piece.part, bin);
  }
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
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
  if (Status s = view.check(); !s)
    return s.error();

  Profile profile;
  profile.space = space;
  profile.fingerprint = fingerprintPattern(view, options.threads);
  if (view.nonzeros() > 0)
    ProfileCounter(view, profile.space, options).count(profile);
  return profile;
}
