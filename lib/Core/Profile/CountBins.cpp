//===- CountBins.cpp - the bins of keys that share a prefix ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile/CountBins.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Profile/KeyBuckets.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace astfe::core;

/// Up to here keys are sorted: a pass would cost more than its keys.
static constexpr int64_t kSortedCount = 128;
static constexpr unsigned kMostDigits = 15, kSpareDigits = 5;

void BinRule::collect(const int64_t *ends, Prefix prefix, int64_t low,
                      int64_t high, std::vector<CountedBox> &pieces) const {
  int64_t count = ends[high] - ends[low];
  if (count == 0)
    return;
  if (isBin(prefix, count) || high - low == 1) {
    pieces.push_back({prefix, ends[low], count});
    return;
  }
  int64_t middle = low + (high - low) / 2;
  collect(ends, prefix.child(false), low, middle, pieces);
  collect(ends, prefix.child(true), middle, high, pieces);
}

/// Keys sorted, bins by where they part.
static void splitSorted(const BinRule &rule, const uint64_t *keys,
                        int64_t count, Prefix prefix,
                        std::vector<CountedBox> &bins) {
  if (rule.isBin(prefix, count)) {
    bins.push_back({prefix, 0, count});
    return;
  }
  // Down to where the keys part, at once: above it all halves hold all or none.
  uint64_t differ = keys[0] ^ keys[count - 1];
  unsigned common = std::min(rule.depth, unsigned(llvm::countl_zero(differ)));
  if (common == rule.depth) {
    // One cell: no key has a bit below the depth.
    bins.push_back({{keys[0], uint8_t(common)}, 0, count});
    return;
  }
  uint64_t bit = uint64_t(1) << (63 - common);
  const uint64_t *middle = std::partition_point(
      keys, keys + count, [&](uint64_t key) { return !(key & bit); });
  prefix = {keys[0] & ~(bit | (bit - 1)), uint8_t(common)};
  splitSorted(rule, keys, middle - keys, prefix.child(false), bins);
  splitSorted(rule, middle, count - (middle - keys), prefix.child(true), bins);
}

namespace {

/// The digits of keys after a prefix.
template <typename Rest>
struct Digits {
  unsigned left, right;

  Digits(Prefix prefix, unsigned taken, unsigned digits)
      : left(prefix.length - taken), right(8 * sizeof(Rest) - digits) {}
  size_t operator()(Rest rest) const {
    return size_t(Rest(rest << left) >> right);
  }
};

} // namespace

/// Runs are too short for a processor to see where they lead.
template <typename Rest>
static void fetchNext(ArrayRef<ArrayRef<Rest>> runs, size_t r) {
  if (r + 1 == runs.size())
    return;
  constexpr size_t kMost = 16, kLine = 64 / sizeof(Rest);
  ArrayRef<Rest> next = runs[r + 1];
  for (size_t i = 0; i < std::min(next.size(), kMost * kLine); i += kLine)
    __builtin_prefetch(next.data() + i);
}

/// Counts runs into own[1], own[2], ...
template <typename Rest>
static void countRuns(ArrayRef<ArrayRef<Rest>> runs, Digits<Rest> digits,
                      int64_t *own) {
  for (size_t r = 0; r < runs.size(); ++r) {
    fetchNext(runs, r);
    forEachApart(runs[r], [&](Rest rest) { ++own[digits(rest) + 1]; });
  }
}

/// Moves keys to where places[digits] says, which moves on.
template <typename Rest>
static void moveRuns(ArrayRef<ArrayRef<Rest>> runs, Digits<Rest> digits,
                     int64_t *places, Rest *room) {
  for (size_t r = 0; r < runs.size(); ++r) {
    fetchNext(runs, r);
    forEachApart(runs[r],
                 [&](Rest rest) { room[places[digits(rest)]++] = rest; });
  }
}

/// Counts become ends: sums so far.
static void sumUp(std::vector<int64_t> &counts) {
  for (size_t b = 1; b < counts.size(); ++b)
    counts[b] += counts[b - 1];
}

template <typename Rest>
unsigned BinCounter<Rest>::digitsFor(int64_t count, Prefix prefix) const {
  auto bins = uint64_t(std::max<int64_t>(count / rule.min, 1));
  return std::min({llvm::Log2_64(bins) + kSpareDigits, kMostDigits,
                   rule.depth - prefix.length});
}

template <typename Rest>
bool BinCounter<Rest>::allBins(ArrayRef<CountedBox> pieces) const {
  return std::all_of(pieces.begin(), pieces.end(), [&](const CountedBox &p) {
    return rule.isBin(p.prefix, p.count);
  });
}

template <typename Rest>
void BinCounter<Rest>::countSorted(Runs runs, Prefix prefix,
                                   std::vector<CountedBox> &bins) const {
  std::array<uint64_t, kSortedCount> keys;
  int64_t count = 0;
  uint64_t head = taken == 0 ? 0 : prefix.bits & (~uint64_t(0) << (64 - taken));
  for (ArrayRef<Rest> run : runs)
    for (Rest rest : run)
      keys[count++] = head | uint64_t(rest) << (64 - 8 * sizeof(Rest)) >> taken;
  std::sort(keys.begin(), keys.begin() + count);
  splitSorted(rule, keys.data(), count, prefix, bins);
}

template <typename Rest>
void BinCounter<Rest>::countLevel(Runs runs, int64_t count, Prefix prefix,
                                  size_t level, std::vector<CountedBox> &bins) {
  if (rule.isBin(prefix, count)) {
    bins.push_back({prefix, 0, count});
    return;
  }
  if (count <= kSortedCount)
    return countSorted(runs, prefix, bins);
  if (level == passes.size())
    passes.emplace_back();
  Pass &pass = passes[level];
  unsigned digits = digitsFor(count, prefix);
  Digits<Rest> digitsOf(prefix, taken, digits);
  pass.ends.assign((size_t(1) << digits) + 1, 0);
  countRuns(runs, digitsOf, pass.ends.data());
  sumUp(pass.ends);
  pass.pieces.clear();
  rule.collect(pass.ends.data(), prefix, 0, int64_t(1) << digits, pass.pieces);
  if (allBins(pass.pieces)) {
    bins.insert(bins.end(), pass.pieces.begin(), pass.pieces.end());
    return;
  }
  if (pass.room.size() < size_t(count))
    pass.room = Scratch<Rest>(size_t(count));
  moveRuns(runs, digitsOf, pass.ends.data(), pass.room.data());
  for (const CountedBox &piece : pass.pieces) {
    ArrayRef<Rest> keys(pass.room.data() + piece.begin, size_t(piece.count));
    countLevel(keys, piece.count, piece.prefix, level + 1, bins);
  }
}

namespace {

/// A pass over many keys, whose runs are dealt out to tasks.
template <typename Rest>
class SharedPass {
public:
  using Runs = ArrayRef<ArrayRef<Rest>>;

  SharedPass(Runs runs, Digits<Rest> digitsOf, unsigned digits,
             unsigned threads)
      : runs(runs), digitsOf(digitsOf), threads(threads),
        ends((size_t(1) << digits) + 1, 0),
        places(std::min<size_t>(std::min(threads, kMostThreads), runs.size()),
               ends) {
    parallelFor(int64_t(places.size()), threads, [&](int64_t task) {
      countRuns(runsOf(size_t(task)), this->digitsOf,
                places[size_t(task)].data());
    });
    for (size_t b = 0; b + 1 < ends.size(); ++b) {
      ends[b + 1] = ends[b];
      for (std::vector<int64_t> &own : places) {
        // From here on where the task's keys go.
        own[b] = ends[b + 1];
        ends[b + 1] += own[b + 1];
      }
    }
  }

  const int64_t *bucketEnds() const { return ends.data(); }
  void move(Rest *room) {
    parallelFor(int64_t(places.size()), threads, [&](int64_t task) {
      moveRuns(runsOf(size_t(task)), digitsOf, places[size_t(task)].data(),
               room);
    });
  }

private:
  Runs runsOf(size_t task) const {
    size_t begin = runs.size() * task / places.size();
    size_t end = runs.size() * (task + 1) / places.size();
    return runs.slice(begin, end - begin);
  }

  Runs runs;
  Digits<Rest> digitsOf;
  unsigned threads;
  std::vector<int64_t> ends;
  std::vector<std::vector<int64_t>> places; ///< by task
};

} // namespace

template <typename Rest>
static std::vector<ArrayRef<Rest>> cut(ArrayRef<Rest> keys) {
  constexpr size_t kRun = size_t(1) << 14;
  std::vector<ArrayRef<Rest>> runs;
  for (; keys.size() > kRun; keys = keys.drop_front(kRun))
    runs.push_back(keys.take_front(kRun));
  runs.push_back(keys);
  return runs;
}

template <typename Rest>
void BinCounter<Rest>::countTogether(Runs runs, int64_t count, Prefix prefix,
                                     unsigned threads,
                                     std::vector<CountedBox> &bins) const {
  if (rule.isBin(prefix, count)) {
    bins.push_back({prefix, 0, count});
    return;
  }
  unsigned digits = digitsFor(count, prefix);
  SharedPass<Rest> pass(runs, {prefix, taken, digits}, digits, threads);
  std::vector<CountedBox> pieces;
  rule.collect(pass.bucketEnds(), prefix, 0, int64_t(1) << digits, pieces);
  Scratch<Rest> room{size_t(count)};
  pass.move(room.data());
  auto keysOf = [&](const CountedBox &piece) {
    return ArrayRef<Rest>(room.data() + piece.begin, size_t(piece.count));
  };
  std::vector<std::vector<CountedBox>> results(pieces.size());
  parallelFor(int64_t(pieces.size()), threads, [&](int64_t i) {
    const CountedBox &piece = pieces[size_t(i)];
    if (piece.count < kSharedCount)
      BinCounter(rule, taken)
          .count(keysOf(piece), piece.count, piece.prefix, results[size_t(i)]);
  });
  for (size_t i = 0; i < pieces.size(); ++i) {
    const CountedBox &piece = pieces[i];
    if (piece.count >= kSharedCount)
      countTogether(cut(keysOf(piece)), piece.count, piece.prefix, threads,
                    results[i]);
    bins.insert(bins.end(), results[i].begin(), results[i].end());
  }
}

template class astfe::core::BinCounter<uint32_t>;
template class astfe::core::BinCounter<uint64_t>;
