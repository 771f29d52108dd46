//===- PackBricks.cpp - from a tensor and its graph to bricks -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonzeros move once, to their groups, in the caller's order; all else happens
// inside of groups and bricks, which fit a cache.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Bricks/BrickPlacer.h"
#include "Graph/GroupFinder.h"
#include "Tensor/Fingerprint.h"
#include "Tensor/NonzeroEncoder.h"
#include "Tensor/Nonzeros.h"
#include <atomic>

namespace astfe::core {
namespace {

/// The most pieces that count and move nonzeros by themselves.
constexpr int64_t kMostPieces = 64;
/// What local coordinates of 16 bits reach.
constexpr int64_t kNarrowBrick = int64_t(1) << 16;

/// T holds the coordinates: int32_t where the view is narrow, else int64_t.
template <typename T>
class BrickPacker {
public:
  BrickPacker(const SparseView &view, const Graph &graph,
              const BrickOptions &options)
      : view(view), graph(graph), options(options), rank(view.rank()),
        count(view.nonzeros()), groups(std::max<size_t>(graph.groupCount(), 1)),
        pieces(std::clamp<int64_t>(chunkCount(count), 1, kMostPieces)),
        placer(view.shape, count, options), keys(0) {}

  Result<Bricks> run();

private:
  int64_t pieceBegin(int64_t piece) const {
    return int64_t(__int128(count) * piece / pieces);
  }
  bool findGroups();
  void beginGroups();
  void moveToGroups();
  void sortGroupByKey(size_t group);
  void cutGroups();
  using Ends = std::vector<std::vector<int64_t>>; ///< of bricks, by group
  bool isWide(int64_t begin, int64_t end, int64_t widest) const;
  void cutWide(int64_t begin, int64_t end, int64_t widest,
               std::vector<int64_t> &ends) const;
  bool savesBytes(const Ends &narrow) const;

  const SparseView &view;
  const Graph &graph;
  const BrickOptions &options;
  unsigned rank;
  int64_t count;
  size_t groups;
  int64_t pieces;

  std::vector<uint32_t> groupOf;
  std::vector<int64_t> places; ///< by piece and group
  std::vector<int64_t> begins; ///< by group, and the end
  /// What is cut, groups that are too large or too wide, is in the curve's
  /// order.
  bool needsKeys = false;
  /// Nonzeros in the order found so far, and their keys.
  BrickPlacer<T> placer;
  Scratch<uint64_t> keys;
};

/// False where a coordinate is out of range.
template <typename T>
bool BrickPacker<T>::findGroups() {
  NonzeroEncoder encoder(view, graph.space);
  GroupFinder finder(graph);
  groupOf.resize(size_t(count));
  places.assign(size_t(pieces) * groups, 0);
  std::vector<uint64_t> hashes(size_t(pieces), 0);
  std::atomic<bool> inside{true};
  parallelFor(pieces, options.threads, [&](int64_t piece) {
    int64_t *sizes = places.data() + size_t(piece) * groups;
    if (!encoder.forEachUnchecked(
            pieceBegin(piece), pieceBegin(piece + 1), hashes[size_t(piece)],
            [&](int64_t first, int64_t size, const uint32_t *parts,
                const uint64_t *found) {
              uint32_t *mine = groupOf.data() + first;
              finder.find(parts, found, size, mine);
              for (int64_t i = 0; i < size; ++i)
                ++sizes[mine[i]];
            }))
      inside = false;
  });
  if (!inside)
    return false;
  placer.result.fingerprint = fingerprintOf(
      view.shape, std::accumulate(hashes.begin(), hashes.end(), uint64_t(0)));
  return true;
}

/// Turns counts into first places.
template <typename T>
void BrickPacker<T>::beginGroups() {
  begins.assign(groups + 1, 0);
  int64_t place = 0;
  for (size_t group = 0; group < groups; ++group) {
    begins[group] = place;
    for (int64_t piece = 0; piece < pieces; ++piece) {
      int64_t &here = places[size_t(piece) * groups + group];
      const int64_t size = here;
      here = place;
      place += size;
    }
    needsKeys |= place - begins[group] > options.slots;
  }
  begins[groups] = place;
  for (int64_t extent : view.shape)
    needsKeys |= extent > kNarrowBrick;
}

template <typename T>
void BrickPacker<T>::moveToGroups() {
  placer.allocate();
  keys = Scratch<uint64_t>(needsKeys ? size_t(count) : 0);
  NonzeroEncoder encoder(view, graph.space);
  parallelFor(pieces, options.threads, [&](int64_t piece) {
    std::vector<uint64_t> found(kBatch);
    std::vector<uint32_t> parts(kBatch);
    int64_t *place = places.data() + size_t(piece) * groups;
    for (NonzeroBatches<T> batch(view, pieceBegin(piece),
                                 pieceBegin(piece + 1));
         batch.next();) {
      const int64_t first = batch.first(), size = batch.size();
      if (needsKeys)
        encoder.encode(first, first + size, parts.data(), found.data());
      for (int64_t i = 0; i < size; ++i) {
        const auto to = size_t(place[groupOf[size_t(first + i)]]++);
        placer.source[to] = first + i;
        for (unsigned k = 0; k < rank; ++k)
          placer.coordinates[k][to] = batch.coordinates()[k][i];
        if (needsKeys)
          keys[to] = found[size_t(i)];
      }
    }
  });
  std::vector<uint32_t>().swap(groupOf);
}

template <typename T>
void BrickPacker<T>::sortGroupByKey(size_t group) {
  const int64_t begin = begins[group], size = begins[group + 1] - begin;
  std::vector<int64_t> order = identityOrder(size);
  const uint64_t *mine = keys.data() + begin;
  if (std::is_sorted(mine, mine + size))
    return;
  const auto [least, most] = std::minmax_element(mine, mine + size);
  // Keys are left-aligned: what is below their last bit is zero in all.
  uint64_t used = 0;
  for (int64_t i = 0; i < size; ++i)
    used |= mine[i] - *least;
  const unsigned shift = used == 0 ? 0 : unsigned(__builtin_ctzll(used));
  const uint64_t smallest = *least;
  stableSortBy(order, (*most - smallest) >> shift,
               [&](int64_t i) { return (mine[i] - smallest) >> shift; });
  placer.permute(begin, order);
}

template <typename T>
bool BrickPacker<T>::isWide(int64_t begin, int64_t end, int64_t widest) const {
  for (unsigned k = 0; k < rank; ++k) {
    if (view.shape[k] <= widest)
      continue;
    const T *mode = placer.coordinates[k].data();
    const auto [least, most] = std::minmax_element(mode + begin, mode + end);
    if (int64_t(*most) - int64_t(*least) >= widest)
      return true;
  }
  return false;
}

/// Halves along the curve what no local coordinate reaches across.
template <typename T>
void BrickPacker<T>::cutWide(int64_t begin, int64_t end, int64_t widest,
                             std::vector<int64_t> &ends) const {
  if (!isWide(begin, end, widest)) {
    ends.push_back(end);
    return;
  }
  const int64_t middle = begin + (end - begin) / 2;
  cutWide(begin, middle, widest, ends);
  cutWide(middle, end, widest, ends);
}

std::vector<int64_t> joined(const std::vector<std::vector<int64_t>> &ends) {
  std::vector<int64_t> all;
  for (const std::vector<int64_t> &mine : ends)
    all.insert(all.end(), mine.begin(), mine.end());
  return all;
}

/// Cuts for coordinates of 32 bits, and finer for 16 bits where that takes
/// fewer bytes.
template <typename T>
void BrickPacker<T>::cutGroups() {
  Ends wide(groups), narrow(groups);
  parallelFor(int64_t(groups), options.threads, [&](int64_t group) {
    const int64_t begin = begins[size_t(group)];
    const int64_t size = begins[size_t(group) + 1] - begin;
    if (size == 0)
      return;
    if (size > options.slots || isWide(begin, begin + size, kNarrowBrick))
      sortGroupByKey(size_t(group));
    const int64_t parts = (size + options.slots - 1) / options.slots;
    for (int64_t i = 0; i < parts; ++i) {
      const auto from = begin + int64_t(__int128(size) * i / parts);
      const auto to = begin + int64_t(__int128(size) * (i + 1) / parts);
      cutWide(from, to, kWidestBrick, wide[size_t(group)]);
      cutWide(from, to, kNarrowBrick, narrow[size_t(group)]);
    }
  });
  keys.release();
  placer.place(joined(wide));
  if (savesBytes(narrow))
    placer.place(joined(narrow));
}

/// What modes of 32 bits take more in all copies against what more bricks take;
/// but not where bricks become so small that walks mostly begin.
template <typename T>
bool BrickPacker<T>::savesBytes(const Ends &narrow) const {
  int64_t bricks = 0, wideModes = 0;
  for (const std::vector<int64_t> &mine : narrow)
    bricks += int64_t(mine.size());
  for (unsigned bits : placer.result.bits)
    wideModes += bits == 32;
  if (bricks > placer.result.bricks() && count / bricks < rules::kLeastBrick)
    return false;
  const int64_t copies = int64_t(rank) - 1;
  const auto brickBytes = int64_t(
      sizeof(int64_t) + rank * (2 * sizeof(int64_t) + sizeof(uint32_t)));
  return __int128(count) * wideModes * copies * int64_t(sizeof(uint16_t)) >
         __int128(bricks - placer.result.bricks()) * brickBytes;
}

template <typename T>
Result<Bricks> BrickPacker<T>::run() {
  if (!findGroups())
    return view.check().error();
  beginGroups();
  moveToGroups();
  cutGroups();
  // Nonzeros that moved by key are not in the order of their numbers.
  return placer.finish(/*byNumber=*/needsKeys);
}

Status checkInput(const SparseView &view, const Graph &graph,
                  const BrickOptions &options) {
  if (options.slots < 1 || options.slots > kBrickSlots)
    return Error{"expected 1 to 65536 slots in a brick but got " +
                 std::to_string(options.slots)};
  if (Status s = view.checkPositions(); !s)
    return s;
  if (options.key >= view.rank())
    return Error{"expected a mode below " + std::to_string(view.rank()) +
                 " but got " + std::to_string(options.key)};
  if (view.shape != graph.space.shape)
    return Error{"expected a tensor of the graph's shape " +
                 shapeText(graph.space.shape) + " but got " +
                 shapeText(view.shape)};
  return graph.check();
}

/// While nonzeros are on their way: groups, coordinates, numbers, keys and the
/// result's.
__int128 bytesToPack(const SparseView &view, size_t coordinate) {
  return __int128(view.nonzeros()) *
         int64_t(4 + view.rank() * coordinate + 3 * sizeof(int64_t));
}

} // namespace

Result<Bricks> packBricks(const SparseView &view, const Graph &graph,
                          const BrickOptions &options) {
  if (Status s = checkInput(view, graph, options); !s)
    return s.error();
  const bool narrow = isNarrow(view);
  const __int128 needed = bytesToPack(view, narrow ? 4 : 8);
  const std::string what =
      "packing of " + std::to_string(view.nonzeros()) + " nonzeros";
  if (Status s = checkMemory(what, needed, options.memory); !s)
    return s.error();
  return withinMemory(
      {"expected memory for the " + what + " but got none: it takes about " +
       std::to_string(int64_t(needed)) + " bytes"},
      [&]() -> Result<Bricks> {
        if (narrow)
          return BrickPacker<int32_t>(view, graph, options).run();
        return BrickPacker<int64_t>(view, graph, options).run();
      });
}

Graph joinForBricks(Graph graph, int64_t slots) {
  std::vector<int64_t> joined{0};
  int64_t sum = 0;
  for (size_t g = 0; g + 1 < graph.groups.size(); ++g) {
    int64_t size = 0;
    for (int64_t b = graph.groups[g]; b < graph.groups[g + 1]; ++b)
      size += graph.nonzeros[size_t(b)];
    if (g > 0 && sum + size > slots) {
      joined.push_back(graph.groups[g]);
      sum = 0;
    }
    sum += size;
  }
  if (graph.groups.size() > 1)
    joined.push_back(graph.groups.back());
  graph.groups = std::move(joined);
  return graph;
}

int64_t brickPlanWorkers(int64_t nonzeros, int64_t slots) {
  return std::max<int64_t>(1, nonzeros / slots + (nonzeros % slots != 0));
}

} // namespace astfe::core
