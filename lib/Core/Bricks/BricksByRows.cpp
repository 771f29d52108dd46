//===- BricksByRows.cpp - bricks where blocks find no reuse ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BricksByRows.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Bricks/BrickPlacer.h"
#include "Tensor/Nonzeros.h"
#include "llvm/ADT/STLExtras.h"

namespace astfe::core {

static bool reachesAll(const Bricks &bricks) {
  return llvm::all_of(bricks.shape,
                      [](int64_t extent) { return extent <= kWidestBrick; });
}

bool canWalkByRows(const Bricks &bricks) {
  return bricks.bricks() > 1 && reachesAll(bricks);
}

bool walksByRows(const Bricks &bricks, unsigned mode, const BrickReuse &reuse,
                 int64_t rowBytes, const Machine &machine) {
  const bool isFar = bricks.shape[mode] > machine.cacheBytes[1] / rowBytes;
  if (!isFar || !canWalkByRows(bricks))
    return false;
  const WalkTimes times = timeWalks(bricks, mode, reuse, rowBytes, machine);
  return times.rows < times.boxes;
}

namespace {

/// T holds the coordinates.
template <typename T>
class ByRows {
public:
  ByRows(const Bricks &from, const BrickOptions &options)
      : from(from), options(options),
        placer(from.shape, from.nonzeros, options) {
    placer.result.fingerprint = from.fingerprint;
  }

  Result<Bricks> run();

private:
  void load();
  std::vector<int64_t> sortedByKey() const;
  void permute(const std::vector<int64_t> &order);
  std::vector<int64_t> cut() const;

  const Bricks &from;
  const BrickOptions &options;
  BrickPlacer<T> placer;
};

/// The nonzeros, brick by brick in home order.
template <typename T>
void ByRows<T>::load() {
  const ModeCopy &copy = *from.copies[from.anyKey()];
  parallelFor(from.bricks(), options.threads, [&](int64_t brick) {
    BrickSlots slots(from.rank());
    loadSlots(from, copy, brick, slots);
    const int64_t first = from.brickSlot[size_t(brick)];
    for (unsigned k = 0; k < from.rank(); ++k) {
      const int64_t origin = from.origin[size_t(brick) * from.rank() + k];
      for (size_t i = 0; i < slots.count(); ++i)
        placer.coordinates[k][size_t(first) + i] =
            T(origin + int64_t(slots.local[k][i]));
    }
    std::copy_n(from.nonzeroOf.data() + first, slots.count(),
                placer.source.data() + first);
  });
}

template <typename T>
std::vector<int64_t> ByRows<T>::sortedByKey() const {
  std::vector<int64_t> order = identityOrder(from.nonzeros);
  const T *rows = placer.coordinates[options.key].data();
  stableSortBy(
      order, uint64_t(std::max<int64_t>(from.shape[options.key] - 1, 0)),
      [rows](int64_t i) { return uint64_t(rows[i]); }, options.threads);
  return order;
}

template <typename T>
void ByRows<T>::permute(const std::vector<int64_t> &order) {
  auto move = [&](auto &array) {
    std::remove_reference_t<decltype(array)> moved(order.size());
    const int64_t chunks = chunkCount(int64_t(order.size()));
    const auto count = int64_t(order.size());
    parallelFor(chunks, options.threads, [&](int64_t chunk) {
      for (int64_t i = count * chunk / chunks; i < count * (chunk + 1) / chunks;
           ++i)
        moved[size_t(i)] = array[size_t(order[size_t(i)])];
    });
    array = std::move(moved);
  };
  for (Scratch<T> &mode : placer.coordinates)
    move(mode);
  move(placer.source);
}

/// The ends of bricks: as many whole rows as fit, or a part of one.
template <typename T>
std::vector<int64_t> ByRows<T>::cut() const {
  const T *rows = placer.coordinates[options.key].data();
  std::vector<int64_t> ends;
  for (int64_t begin = 0; begin < from.nonzeros;) {
    int64_t end = std::min(begin + options.slots, from.nonzeros);
    if (end < from.nonzeros && rows[end - 1] == rows[end]) {
      const int64_t row =
          std::lower_bound(rows + begin, rows + end, rows[end]) - rows;
      end = row > begin ? row : end;
    }
    ends.push_back(end);
    begin = end;
  }
  return ends;
}

template <typename T>
Result<Bricks> ByRows<T>::run() {
  placer.allocate();
  load();
  permute(sortedByKey());
  placer.place(cut());
  return placer.finish(/*byNumber=*/true);
}

} // namespace

Result<Bricks> bricksByRows(const Bricks &bricks, const BrickOptions &options) {
  if (options.key >= bricks.rank())
    return Error{"expected a mode below " + std::to_string(bricks.rank()) +
                 " but got " + std::to_string(options.key)};
  if (!reachesAll(bricks))
    return Error{"expected extents of at most " + std::to_string(kWidestBrick) +
                 " for bricks by rows but got " + shapeText(bricks.shape)};
  const bool narrow = llvm::all_of(bricks.shape, [](int64_t extent) {
    return extent <= std::numeric_limits<int32_t>::max();
  });
  const __int128 needed =
      __int128(bricks.nonzeros) *
      int64_t(2 * bricks.rank() * (narrow ? 4 : 8) + 4 * sizeof(int64_t));
  const std::string what =
      "bricks by the rows of mode " + std::to_string(options.key);
  if (Status s = checkMemory(what, needed, options.memory); !s)
    return s.error();
  return withinMemory({"expected memory for " + what +
                       " but got none: they take about " +
                       std::to_string(int64_t(needed)) + " bytes"},
                      [&]() -> Result<Bricks> {
                        if (narrow)
                          return ByRows<int32_t>(bricks, options).run();
                        return ByRows<int64_t>(bricks, options).run();
                      });
}

} // namespace astfe::core
