//===- ModeCopy.cpp - the slots of all bricks, sorted by a mode -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Bricks/BrickSlots.h"
#include "Support/StableSort.h"

namespace astfe::core {
namespace {

/// The runs of one brick, until all are counted.
struct BrickRuns {
  std::vector<uint32_t> coordinate;
  std::vector<uint16_t> last;

  /// A run goes on where `isNew` says so.
  void add(uint32_t value, bool isNew, size_t slot) {
    if (isNew) {
      coordinate.push_back(value);
      last.push_back(0);
    }
    last.back() = uint16_t(slot);
  }
};

/// By a mode, then by the fibers' mode, then in home order.
std::vector<int64_t> sorted(const Bricks &bricks, const BrickSlots &slots,
                            int64_t brick, unsigned mode,
                            std::optional<unsigned> fiberMode) {
  std::vector<int64_t> order = identityOrder(int64_t(slots.count()));
  auto sortBy = [&](unsigned by) {
    stableSortBy(order, bricks.reach[size_t(brick) * bricks.rank() + by],
                 [&](int64_t h) { return slots.local[by][size_t(h)]; });
  };
  if (fiberMode)
    sortBy(*fiberMode);
  sortBy(mode);
  return order;
}

int64_t countFibers(const Bricks &bricks, const BrickSlots &slots,
                    int64_t brick, unsigned mode, unsigned fiberMode) {
  int64_t count = 0, last = -1;
  for (int64_t h : sorted(bricks, slots, brick, mode, fiberMode)) {
    auto differs = [&](unsigned k) {
      return slots.local[k][size_t(h)] != slots.local[k][size_t(last)];
    };
    count += last < 0 || differs(fiberMode) || differs(mode);
    last = h;
  }
  return count;
}

class Copier {
public:
  Copier(const Bricks &bricks, unsigned mode, std::optional<unsigned> fiberMode,
         LoadBrick load)
      : bricks(bricks), load(load), segments(size_t(bricks.bricks())),
        fibers(segments.size()) {
    result.key = mode;
    result.fiberMode = fiberMode;
  }

  void allocate();
  void sortBrick(int64_t brick);
  void joinRuns(unsigned threads);
  ModeCopy take() { return std::move(result); }

private:
  SlotRuns join(std::vector<BrickRuns> &found, unsigned mode,
                unsigned threads) const;

  const Bricks &bricks;
  LoadBrick load;
  std::vector<BrickRuns> segments, fibers;
  ModeCopy result;
};

void Copier::allocate() {
  const auto slots = size_t(bricks.nonzeros);
  for (unsigned k = 0; k < bricks.rank(); ++k)
    result.coordinates.emplace_back(bricks.bits[k],
                                    k == result.key ? 0 : slots);
  result.home = Table<uint16_t>(slots);
}

void Copier::sortBrick(int64_t brick) {
  BrickSlots slots(bricks.rank());
  load(brick, slots);
  const std::vector<int64_t> order =
      sorted(bricks, slots, brick, result.key, result.fiberMode);
  const auto first = size_t(bricks.brickSlot[size_t(brick)]);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto h = size_t(order[i]);
    result.home[first + i] = uint16_t(h);
    auto differs = [&](unsigned mode) {
      return i == 0 ||
             slots.local[mode][h] != slots.local[mode][size_t(order[i - 1])];
    };
    const bool newRow = differs(result.key);
    segments[size_t(brick)].add(slots.local[result.key][h], newRow, i);
    if (result.fiberMode)
      fibers[size_t(brick)].add(slots.local[*result.fiberMode][h],
                                newRow || differs(*result.fiberMode), i);
  }
  for (unsigned k = 0; k < bricks.rank(); ++k)
    if (k != result.key)
      result.coordinates[k].visit([&](auto *data) {
        for (size_t i = 0; i < order.size(); ++i)
          data[first + i] = std::remove_reference_t<decltype(*data)>(
              slots.local[k][size_t(order[i])]);
      });
}

SlotRuns Copier::join(std::vector<BrickRuns> &found, unsigned mode,
                      unsigned threads) const {
  SlotRuns runs;
  runs.begin.assign(1, 0);
  for (const BrickRuns &mine : found)
    runs.begin.push_back(runs.begin.back() + int64_t(mine.last.size()));
  const auto count = size_t(runs.begin.back());
  runs.last = Table<uint16_t>(count);
  runs.coordinate = LocalArray(bricks.bits[mode], count);
  parallelFor(bricks.bricks(), threads, [&](int64_t brick) {
    BrickRuns &mine = found[size_t(brick)];
    const int64_t first = runs.begin[size_t(brick)];
    std::copy(mine.last.begin(), mine.last.end(), runs.last.begin() + first);
    runs.coordinate.visit([&](auto *data) {
      std::copy(mine.coordinate.begin(), mine.coordinate.end(), data + first);
    });
    mine = BrickRuns();
  });
  return runs;
}

void Copier::joinRuns(unsigned threads) {
  result.segments = join(segments, result.key, threads);
  if (result.fiberMode)
    result.fibers = join(fibers, *result.fiberMode, threads);
}

} // namespace

void loadSlots(const Bricks &bricks, const ModeCopy &from, int64_t brick,
               BrickSlots &slots) {
  const auto first = size_t(bricks.brickSlot[size_t(brick)]);
  const auto count = size_t(bricks.brickSlot[size_t(brick) + 1]) - first;
  const uint16_t *home = from.home.data() + first;
  for (unsigned k = 0; k < bricks.rank(); ++k) {
    slots.local[k].resize(count);
    if (k != from.key)
      from.coordinates[k].visit([&](const auto *data) {
        for (size_t i = 0; i < count; ++i)
          slots.local[k][home[i]] = data[first + i];
      });
  }
  forRuns(from.segments, brick,
          [&](int64_t coordinate, int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              slots.local[from.key][home[i]] = uint32_t(coordinate);
          });
}

/// Of two modes, fibers would be nonzeros.
std::optional<unsigned> chooseFibers(const Bricks &bricks, unsigned mode,
                                     LoadBrick load) {
  std::optional<unsigned> chosen;
  if (bricks.rank() < 3)
    return chosen;
  const int64_t samples = std::min(bricks.bricks(), rules::kFiberSample);
  std::vector<int64_t> counts(bricks.rank(), 0);
  int64_t slotCount = 0;
  for (int64_t i = 0; i < samples; ++i) {
    const int64_t brick = bricks.bricks() * i / samples;
    BrickSlots slots(bricks.rank());
    load(brick, slots);
    slotCount += int64_t(slots.count());
    for (unsigned k = 0; k < bricks.rank(); ++k)
      if (k != mode)
        counts[k] += countFibers(bricks, slots, brick, mode, k);
  }
  int64_t least = slotCount / rules::kLeastFiber;
  for (unsigned k = 0; k < bricks.rank(); ++k)
    if (k != mode && counts[k] > 0 &&
        (counts[k] < least || (counts[k] == least && !chosen))) {
      least = counts[k];
      chosen = k;
    }
  return chosen;
}

ModeCopy copySlots(const Bricks &bricks, unsigned mode,
                   std::optional<unsigned> fiberMode, LoadBrick load,
                   unsigned threads) {
  Copier copier(bricks, mode, fiberMode, load);
  copier.allocate();
  parallelFor(bricks.bricks(), threads,
              [&](int64_t brick) { copier.sortBrick(brick); });
  copier.joinRuns(threads);
  return copier.take();
}

Status checkMemory(const std::string &what, __int128 needed, int64_t memory) {
  if (needed <= memory)
    return Success{};
  const auto shown =
      int64_t(std::min(needed, __int128(std::numeric_limits<int64_t>::max())));
  return Error{"expected " + what + " to take at most " +
               std::to_string(memory) + " bytes but got " +
               std::to_string(shown)};
}

Status addCopy(Bricks &bricks, unsigned mode, const BrickOptions &options) {
  if (mode >= bricks.rank())
    return Error{"expected a mode below " + std::to_string(bricks.rank()) +
                 " but got " + std::to_string(mode)};
  if (bricks.copies[mode])
    return Success{};
  const std::string what = "the copy of mode " + std::to_string(mode);
  const int64_t most = bricks.mostBytesOf(mode);
  if (Status s = checkMemory(what, most, options.memory); !s)
    return s;
  const ModeCopy &from = *bricks.copies[bricks.anyKey()];
  return withinMemory(
      {"expected memory for " + what + " but got none: it takes up to " +
       std::to_string(most) + " bytes"},
      [&]() -> Status {
        auto load = [&](int64_t brick, BrickSlots &slots) {
          loadSlots(bricks, from, brick, slots);
        };
        bricks.copies[mode] =
            copySlots(bricks, mode, chooseFibers(bricks, mode, load), load,
                      options.threads);
        return Success{};
      });
}

} // namespace astfe::core
