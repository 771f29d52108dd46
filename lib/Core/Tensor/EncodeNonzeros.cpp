//===- EncodeNonzeros.cpp - keys of all nonzeros of a view ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Encoder.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Support/LargeArray.h"
#include "Tensor/Fingerprint.h"
#include "Tensor/NonzeroEncoder.h"
#include "Tensor/Nonzeros.h"
#include <optional>

using namespace astfe::core;

namespace {

/// Permutes points, finds their parts and encodes them there.
class PartEncoder {
public:
  explicit PartEncoder(const Space &space) : space(space) {
    for (const Part &part : space.parts)
      encoderOf.push_back(encoderFor(part.order()));
    findSlabs();
  }

  /// Encodes one batch; `parts` and `keys` receive `count` entries.
  void encode(ArrayRef<const int64_t *> coordinates, int64_t count,
              uint32_t *parts, uint64_t *keys) const;

private:
  /// The part that holds a point of the permuted space, `hint` first:
  /// neighbours mostly lie in the same part.
  uint32_t find(ArrayRef<const int64_t *> points, int64_t i,
                uint32_t hint) const;

  /// Parts of equal bits have equal keys: they share an encoder.
  size_t encoderFor(const Order &order);
  void findSlabs();

  const Space &space;
  std::vector<Encoder> encoders;
  std::vector<Order> orders;     ///< of the encoders
  std::vector<size_t> encoderOf; ///< by part
  /// Where parts begin along the first mode, and the parts over each batch
  /// between: few, even where parts are many.
  std::vector<int64_t> slabs;
  std::vector<std::vector<uint32_t>> partsOf;
};

} // namespace

static bool contains(const Part &part, ArrayRef<const int64_t *> points,
                     int64_t i) {
  for (size_t k = 0; k < points.size(); ++k)
    if (points[k][i] < part.origin[k] ||
        points[k][i] - part.origin[k] >= part.extents[k])
      return false;
  return true;
}

size_t PartEncoder::encoderFor(const Order &order) {
  auto isEqual = [&](const Order &other) {
    if (order.kind() != other.kind() || order.panelLog2() != other.panelLog2())
      return false;
    for (unsigned k = 0; k < order.rank(); ++k)
      if (order.bits(k) != other.bits(k))
        return false;
    return true;
  };
  auto known = std::find_if(orders.begin(), orders.end(), isEqual);
  if (known != orders.end())
    return size_t(known - orders.begin());
  encoders.emplace_back(order);
  orders.push_back(order);
  return orders.size() - 1;
}

void PartEncoder::findSlabs() {
  for (const Part &part : space.parts)
    slabs.push_back(part.origin[0]);
  std::sort(slabs.begin(), slabs.end());
  slabs.erase(std::unique(slabs.begin(), slabs.end()), slabs.end());
  partsOf.resize(slabs.size());
  for (size_t p = 0; p < space.parts.size(); ++p) {
    const Part &part = space.parts[p];
    auto first = std::lower_bound(slabs.begin(), slabs.end(), part.origin[0]);
    auto last =
        std::lower_bound(first, slabs.end(), part.origin[0] + part.extents[0]);
    for (; first < last; ++first)
      partsOf[size_t(first - slabs.begin())].push_back(uint32_t(p));
  }
}

uint32_t PartEncoder::find(ArrayRef<const int64_t *> points, int64_t i,
                           uint32_t hint) const {
  if (contains(space.parts[hint], points, i))
    return hint;
  auto slab = std::upper_bound(slabs.begin(), slabs.end(), points[0][i]);
  for (uint32_t part : partsOf[size_t(slab - slabs.begin()) - 1])
    if (contains(space.parts[part], points, i))
      return part;
  assert(false && "a point outside of all parts");
  return hint;
}

void PartEncoder::encode(ArrayRef<const int64_t *> coordinates, int64_t count,
                         uint32_t *parts, uint64_t *keys) const {
  std::vector<std::array<int64_t, kBatch>> moved(space.rank());
  std::vector<const int64_t *> points(coordinates.begin(), coordinates.end());
  for (unsigned k = 0; k < space.permutations.size(); ++k) {
    const std::vector<int64_t> &permutation = space.permutations[k];
    if (permutation.empty())
      continue;
    for (int64_t i = 0; i < count; ++i)
      moved[k][i] = permutation[size_t(coordinates[k][i])];
    points[k] = moved[k].data();
  }
  if (space.parts.size() == 1)
    return encoders[0].encode(points, size_t(count), keys);

  // Sort the batch by part, stably, into coordinates local to the part.
  std::vector<int64_t> ends(space.parts.size() + 1, 0);
  for (int64_t i = 0; i < count; ++i) {
    parts[i] = find(points, i, i == 0 ? 0 : parts[i - 1]);
    ++ends[parts[i] + 1];
  }
  for (size_t p = 0; p < space.parts.size(); ++p)
    ends[p + 1] += ends[p];
  std::vector<int64_t> place(count), next(ends);
  std::vector<std::array<int64_t, kBatch>> local(space.rank());
  for (int64_t i = 0; i < count; ++i) {
    place[i] = next[parts[i]]++;
    for (unsigned k = 0; k < space.rank(); ++k)
      local[k][place[i]] = points[k][i] - space.parts[parts[i]].origin[k];
  }
  std::array<uint64_t, kBatch> sorted;
  for (size_t p = 0; p < space.parts.size(); ++p) {
    if (ends[p] == ends[p + 1])
      continue;
    for (unsigned k = 0; k < space.rank(); ++k)
      points[k] = local[k].data() + ends[p];
    encoders[encoderOf[p]].encode(points, size_t(ends[p + 1] - ends[p]),
                                  sorted.data() + ends[p]);
  }
  for (int64_t i = 0; i < count; ++i)
    keys[i] = sorted[place[i]];
}

static bool isPermuted(const Space &space) {
  for (const std::vector<int64_t> &permutation : space.permutations)
    if (!permutation.empty())
      return true;
  return false;
}

/// With one part and nothing permuted the encoder reads the caller's own
/// coordinates.
struct NonzeroEncoder::Ways {
  std::optional<Encoder> plain;
  std::optional<PartEncoder> byPart;
  bool narrow = false;
};

NonzeroEncoder::NonzeroEncoder(const SparseView &view, const Space &space)
    : view(view), manyParts(space.parts.size() != 1), ways(new Ways) {
  assert(view.shape == space.shape && "a space of another shape");
  ways->narrow = isNarrow(view);
  if (manyParts || isPermuted(space))
    ways->byPart.emplace(space);
  else
    ways->plain.emplace(space.parts[0].order());
}

NonzeroEncoder::~NonzeroEncoder() = default;

template <typename Body>
bool NonzeroEncoder::forBatches(int64_t begin, int64_t end, Body body) const {
  auto visit = [&](auto batch) {
    while (batch.next())
      if (!body(batch.first(), batch.size(), batch.coordinates()))
        return false;
    return true;
  };
  // Parts have coordinates of their own, in 64 bits.
  return ways->plain && ways->narrow
             ? visit(NonzeroBatches<int32_t>(view, begin, end))
             : visit(NonzeroBatches<int64_t>(view, begin, end));
}

template <typename T>
void NonzeroEncoder::encodeBatch(ArrayRef<const T *> coordinates, int64_t count,
                                 uint32_t *parts, uint64_t *keys) const {
  if (ways->plain)
    return ways->plain->encode(coordinates, size_t(count), keys);
  if constexpr (sizeof(T) == 8)
    ways->byPart->encode(coordinates, count, manyParts ? parts : nullptr, keys);
}

void NonzeroEncoder::encode(int64_t begin, int64_t end, uint32_t *parts,
                            uint64_t *keys) const {
  forBatches(begin, end, [&](int64_t first, int64_t count, auto coordinates) {
    encodeBatch(coordinates, count, manyParts ? parts + (first - begin) : parts,
                keys + (first - begin));
    return true;
  });
}

void NonzeroEncoder::forEach(int64_t begin, int64_t end, Visitor body) const {
  std::array<uint64_t, kBatch> keys;
  std::array<uint32_t, kBatch> parts;
  forBatches(begin, end, [&](int64_t first, int64_t count, auto coordinates) {
    encodeBatch(coordinates, count, parts.data(), keys.data());
    body(first, count, manyParts ? parts.data() : nullptr, keys.data());
    return true;
  });
}

bool NonzeroEncoder::forEachUnchecked(int64_t begin, int64_t end,
                                      uint64_t &hash, Visitor body) const {
  std::array<uint64_t, kBatch> keys;
  std::array<uint32_t, kBatch> parts;
  return forBatches(
      begin, end, [&](int64_t first, int64_t count, auto coordinates) {
        if (!addHashes(coordinates, count, view.shape, hash))
          return false;
        encodeBatch(coordinates, count, parts.data(), keys.data());
        body(first, count, manyParts ? parts.data() : nullptr, keys.data());
        return true;
      });
}

void astfe::core::encodeNonzeros(const SparseView &view, const Space &space,
                                 std::vector<uint32_t> &parts,
                                 std::vector<uint64_t> &keys,
                                 unsigned threads) {
  NonzeroEncoder encoder(view, space);
  makeLarge(keys, size_t(view.nonzeros()));
  parts.resize(encoder.hasParts() ? size_t(view.nonzeros()) : 0);
  parallelFor(chunkCount(view.nonzeros()), threads, [&](int64_t chunk) {
    int64_t begin = chunk * kChunk;
    encoder.encode(begin, std::min(begin + kChunk, view.nonzeros()),
                   parts.data() + (encoder.hasParts() ? begin : 0),
                   keys.data() + begin);
  });
}
