//===- BrickPlacer.h - from nonzeros in an order to bricks ------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second half of packing: the nonzeros lie in the order in which bricks cut
// them, along a graph's groups (PackBricks.cpp) or by the rows of a mode
// (BricksByRows.cpp). Bricks get their origins and widths, their slots are
// sorted, and the copy of one mode is made.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_BRICKS_BRICKPLACER_H
#define ASTFE_LIB_CORE_BRICKS_BRICKPLACER_H

#include "ASTFE/Core/Support/Parallel.h"
#include "Bricks/BrickSlots.h"
#include "Support/LargeArray.h"
#include "Support/StableSort.h"
#include <algorithm>

namespace astfe::core {

/// T holds the coordinates.
template <typename T>
class BrickPlacer {
public:
  BrickPlacer(const std::vector<int64_t> &shape, int64_t count,
              const BrickOptions &options)
      : source(0), options(options), rank(unsigned(shape.size())) {
    result.shape = shape;
    result.nonzeros = count;
    result.copies.resize(rank);
  }

  /// Makes room for the nonzeros.
  void allocate() {
    for (unsigned k = 0; k < rank; ++k)
      coordinates.emplace_back(size_t(result.nonzeros));
    source = Scratch<int64_t>(size_t(result.nonzeros));
  }

  /// The nonzeros from `begin` on, in the given order of their places there.
  void permute(int64_t begin, const std::vector<int64_t> &order);

  /// Brick b is [ends[b-1], ends[b]): slots, origins, reaches and widths.
  void place(const std::vector<int64_t> &ends);

  /// Sorts the slots and makes the copy. `byNumber`: the nonzeros of a brick
  /// are not in the order of their numbers.
  Result<Bricks> finish(bool byNumber);

  Bricks result;
  /// By mode, and the nonzeros' numbers.
  std::vector<Scratch<T>> coordinates;
  Scratch<int64_t> source;

private:
  void sortBrick(int64_t brick, bool byNumber);

  const BrickOptions &options;
  unsigned rank;
};

template <typename T>
void BrickPlacer<T>::permute(int64_t begin, const std::vector<int64_t> &order) {
  auto move = [&](auto *data) {
    std::vector<std::remove_reference_t<decltype(*data)>> moved(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      moved[i] = data[begin + order[i]];
    std::copy(moved.begin(), moved.end(), data + begin);
  };
  for (Scratch<T> &mode : coordinates)
    move(mode.data());
  move(source.data());
}

template <typename T>
void BrickPlacer<T>::place(const std::vector<int64_t> &ends) {
  result.brickSlot.assign(1, 0);
  result.brickSlot.insert(result.brickSlot.end(), ends.begin(), ends.end());
  const auto bricks = size_t(result.bricks());
  result.origin.resize(bricks * rank);
  result.reach.resize(bricks * rank);
  parallelFor(int64_t(bricks), options.threads, [&](int64_t brick) {
    const int64_t begin = result.brickSlot[size_t(brick)];
    const int64_t end = result.brickSlot[size_t(brick) + 1];
    for (unsigned k = 0; k < rank; ++k) {
      const T *mode = coordinates[k].data();
      const auto [least, most] = std::minmax_element(mode + begin, mode + end);
      result.origin[size_t(brick) * rank + k] = int64_t(*least);
      result.reach[size_t(brick) * rank + k] =
          uint32_t(int64_t(*most) - int64_t(*least));
    }
  });
  std::vector<uint32_t> widest(rank, 0);
  for (size_t i = 0; i < result.reach.size(); ++i)
    widest[i % rank] = std::max(widest[i % rank], result.reach[i]);
  result.bits.clear();
  for (uint32_t reach : widest)
    result.bits.push_back(LocalArray::bitsFor(reach));
  if (options.oneWidth)
    std::fill(result.bits.begin(), result.bits.end(),
              std::max(16u, *std::max_element(result.bits.begin(),
                                              result.bits.end())));
}

/// By all coordinates and then by n.
template <typename T>
void BrickPlacer<T>::sortBrick(int64_t brick, bool byNumber) {
  const int64_t begin = result.brickSlot[size_t(brick)];
  const int64_t size = result.brickSlot[size_t(brick) + 1] - begin;
  std::vector<int64_t> order = identityOrder(size);
  if (byNumber) {
    const int64_t *mine = source.data() + begin;
    if (!std::is_sorted(mine, mine + size))
      std::sort(order.begin(), order.end(),
                [&](int64_t a, int64_t b) { return mine[a] < mine[b]; });
  }
  for (unsigned k = rank; k-- > 0;) {
    const T *mode = coordinates[k].data() + begin;
    const int64_t origin = result.origin[size_t(brick) * rank + k];
    stableSortBy(order, result.reach[size_t(brick) * rank + k], [&](int64_t i) {
      return uint64_t(int64_t(mode[i]) - origin);
    });
  }
  permute(begin, order);
  std::copy_n(source.data() + begin, size, result.nonzeroOf.data() + begin);
}

template <typename T>
Result<Bricks> BrickPlacer<T>::finish(bool byNumber) {
  result.nonzeroOf = Table<int64_t>(size_t(result.nonzeros));
  parallelFor(result.bricks(), options.threads,
              [&](int64_t brick) { sortBrick(brick, byNumber); });
  source.release();
  auto load = [&](int64_t brick, BrickSlots &slots) {
    const int64_t begin = result.brickSlot[size_t(brick)];
    const int64_t end = result.brickSlot[size_t(brick) + 1];
    for (unsigned k = 0; k < rank; ++k) {
      const int64_t origin = result.origin[size_t(brick) * rank + k];
      const T *mode = coordinates[k].data();
      slots.local[k].resize(size_t(end - begin));
      for (int64_t i = begin; i < end; ++i)
        slots.local[k][size_t(i - begin)] = uint32_t(int64_t(mode[i]) - origin);
    }
  };
  if (Status s = checkMemory("the copy of mode " + std::to_string(options.key),
                             result.mostBytesOf(options.key), options.memory);
      !s)
    return s.error();
  result.copies[options.key] =
      copySlots(result, options.key, chooseFibers(result, options.key, load),
                load, options.threads);
  return std::move(result);
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_BRICKS_BRICKPLACER_H
