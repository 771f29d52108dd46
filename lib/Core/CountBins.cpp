//===- CountBins.cpp - the bins of keys that share a prefix ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountBins.h"
#include "ASTFE/Core/Parallel.h"
#include "Nonzeros.h"
#include "llvm/Support/MathExtras.h"

using namespace astfe::core;

namespace {

/// The keys of a range by the `digits` bits after `length`.
class Buckets {
public:
  Buckets(KeyRange range, unsigned length, unsigned digits, unsigned threads);
  /// Moves the keys to the range's room, bucket by bucket.
  void move();
  /// Bucket b is [ends()[b], ends()[b + 1]).
  std::vector<int64_t> ends() const;

private:
  size_t bucket(uint64_t key) const { return (key << length) >> (64 - digits); }
  int64_t chunkEnd(int64_t chunk) const {
    return std::min((chunk + 1) * chunkSize, range.count);
  }

  KeyRange range;
  unsigned length, digits, threads;
  int64_t chunkSize, chunks;
  /// counts[chunk][bucket], chunk by chunk.
  std::vector<int64_t> counts;
};

} // namespace

/// Ranges from here on are counted by all threads together; smaller ones are
/// dealt out whole.
static constexpr int64_t kSharedCount = int64_t(1) << 20;
/// Ranges up to here are sorted: a pass would cost more than its keys.
static constexpr int64_t kSortedCount = 128;
static constexpr unsigned kMostDigits = 12;

Buckets::Buckets(KeyRange range, unsigned length, unsigned digits,
                 unsigned threads)
    : range(range), length(length), digits(digits), threads(threads) {
  chunkSize = threads <= 1 ? range.count : 4 * kChunk;
  chunks = (range.count + chunkSize - 1) / chunkSize;
  counts.assign(size_t(chunks) << digits, 0);
  parallelFor(chunks, threads, [&](int64_t chunk) {
    int64_t *own = counts.data() + (chunk << this->digits);
    for (int64_t i = chunk * chunkSize; i < chunkEnd(chunk); ++i)
      ++own[bucket(this->range.keys[i])];
  });
}

std::vector<int64_t> Buckets::ends() const {
  std::vector<int64_t> ends((size_t(1) << digits) + 1, 0);
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (size_t b = 0; b < size_t(1) << digits; ++b)
      ends[b + 1] += counts[(size_t(chunk) << digits) + b];
  for (size_t b = 0; b < size_t(1) << digits; ++b)
    ends[b + 1] += ends[b];
  return ends;
}

void Buckets::move() {
  // Each chunk's counts become the places where its keys go.
  std::vector<int64_t> next = ends();
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (size_t b = 0; b < size_t(1) << digits; ++b) {
      int64_t &count = counts[(size_t(chunk) << digits) + b];
      std::swap(count, next[b]);
      next[b] += count;
    }
  parallelFor(chunks, threads, [&](int64_t chunk) {
    int64_t *own = counts.data() + (chunk << digits);
    for (int64_t i = chunk * chunkSize; i < chunkEnd(chunk); ++i)
      range.room[own[bucket(range.keys[i])]++] = range.keys[i];
  });
}

void BinCounter::collect(const int64_t *ends, Prefix prefix, int64_t low,
                         int64_t high, std::vector<Piece> &pieces) const {
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

void BinCounter::countSorted(const uint64_t *keys, int64_t count, Prefix prefix,
                             std::vector<Piece> &bins) const {
  if (isBin(prefix, count)) {
    bins.push_back({prefix, 0, count});
    return;
  }
  // Down to where the keys part, at once: above it all halves hold all or none.
  uint64_t differ = keys[0] ^ keys[count - 1];
  unsigned common = std::min(depth, unsigned(llvm::countl_zero(differ)));
  if (common == depth) {
    // One cell: no key has a bit below the depth.
    bins.push_back({{keys[0], uint8_t(depth)}, 0, count});
    return;
  }
  uint64_t bit = uint64_t(1) << (63 - common);
  const uint64_t *middle = std::partition_point(
      keys, keys + count, [&](uint64_t key) { return !(key & bit); });
  prefix = {keys[0] & ~(bit | (bit - 1)), uint8_t(common)};
  countSorted(keys, middle - keys, prefix.child(false), bins);
  countSorted(middle, count - (middle - keys), prefix.child(true), bins);
}

void BinCounter::count(KeyRange range, Prefix prefix, unsigned threads,
                       std::vector<Piece> &bins) const {
  if (range.count == 0)
    return;
  if (isBin(prefix, range.count)) {
    bins.push_back({prefix, 0, range.count});
    return;
  }
  if (range.count <= kSortedCount) {
    std::sort(range.keys, range.keys + range.count);
    countSorted(range.keys, range.count, prefix, bins);
    return;
  }
  unsigned digits = llvm::Log2_64(uint64_t(range.count / min)) + 3;
  digits = std::min({digits, kMostDigits, depth - prefix.length});
  Buckets buckets(range, prefix.length, digits, threads);
  std::vector<Piece> pieces;
  collect(buckets.ends().data(), prefix, 0, int64_t(1) << digits, pieces);
  auto found = [&](const Piece &p) { return isBin(p.prefix, p.count); };
  if (std::all_of(pieces.begin(), pieces.end(), found)) {
    bins.insert(bins.end(), pieces.begin(), pieces.end());
    return;
  }
  buckets.move();
  countPieces({range.room, range.keys, range.count}, pieces, threads, bins);
}

void BinCounter::countPieces(KeyRange range, const std::vector<Piece> &pieces,
                             unsigned threads, std::vector<Piece> &bins) const {
  auto countPiece = [&](const Piece &piece, unsigned threads,
                        std::vector<Piece> &result) {
    count({range.keys + piece.begin, range.room + piece.begin, piece.count},
          piece.prefix, threads, result);
  };
  if (threads <= 1) {
    for (const Piece &piece : pieces)
      countPiece(piece, 1, bins);
    return;
  }
  std::vector<std::vector<Piece>> results(pieces.size());
  parallelFor(int64_t(pieces.size()), threads, [&](int64_t i) {
    if (pieces[size_t(i)].count < kSharedCount)
      countPiece(pieces[size_t(i)], 1, results[size_t(i)]);
  });
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].count >= kSharedCount)
      countPiece(pieces[i], threads, results[i]);
    bins.insert(bins.end(), results[i].begin(), results[i].end());
  }
}
