//===- ModeCopy.cpp - the slots of all bricks, sorted by a mode -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Bricks/BrickSlots.h"
#include "Support/StableSort.h"

namespace astfe::core {
namespace {

/// The segments of one brick, until all are counted.
struct Segments {
  std::vector<uint32_t> row;
  std::vector<uint16_t> last;
};

class Copier {
public:
  Copier(const Bricks &bricks, unsigned mode, LoadBrick load)
      : bricks(bricks), mode(mode), load(load),
        segments(size_t(bricks.bricks())) {
    const auto slots = size_t(bricks.nonzeros);
    result.key = mode;
    for (unsigned k = 0; k < bricks.rank(); ++k)
      result.coordinates.emplace_back(bricks.bits[k], k == mode ? 0 : slots);
    result.home = Table<uint16_t>(slots);
  }

  void sortBrick(int64_t brick);
  void joinSegments(unsigned threads);
  ModeCopy take() { return std::move(result); }

private:
  const Bricks &bricks;
  unsigned mode;
  LoadBrick load;
  std::vector<Segments> segments;
  ModeCopy result;
};

void Copier::sortBrick(int64_t brick) {
  BrickSlots slots(bricks.rank());
  load(brick, slots);
  const std::vector<uint32_t> &keys = slots.local[mode];
  std::vector<int64_t> order = identityOrder(int64_t(slots.count()));
  stableSortBy(order, bricks.reach[size_t(brick) * bricks.rank() + mode],
               [&](int64_t h) { return keys[size_t(h)]; });
  const auto first = size_t(bricks.brickSlot[size_t(brick)]);
  Segments &mine = segments[size_t(brick)];
  for (size_t i = 0; i < order.size(); ++i) {
    const auto h = size_t(order[i]);
    result.home[first + i] = uint16_t(h);
    if (mine.row.empty() || mine.row.back() != keys[h]) {
      mine.row.push_back(keys[h]);
      mine.last.push_back(0);
    }
    mine.last.back() = uint16_t(i);
  }
  for (unsigned k = 0; k < bricks.rank(); ++k)
    if (k != mode)
      result.coordinates[k].visit([&](auto *data) {
        for (size_t i = 0; i < order.size(); ++i)
          data[first + i] = std::remove_reference_t<decltype(*data)>(
              slots.local[k][size_t(order[i])]);
      });
}

void Copier::joinSegments(unsigned threads) {
  result.brickSegment.assign(1, 0);
  for (const Segments &mine : segments)
    result.brickSegment.push_back(result.brickSegment.back() +
                                  int64_t(mine.row.size()));
  const auto count = size_t(result.brickSegment.back());
  result.segmentLast = Table<uint16_t>(count);
  result.segmentRow = LocalArray(bricks.bits[mode], count);
  parallelFor(bricks.bricks(), threads, [&](int64_t brick) {
    Segments &mine = segments[size_t(brick)];
    const int64_t first = result.brickSegment[size_t(brick)];
    std::copy(mine.last.begin(), mine.last.end(),
              result.segmentLast.begin() + first);
    result.segmentRow.visit([&](auto *rows) {
      std::copy(mine.row.begin(), mine.row.end(), rows + first);
    });
    mine = Segments();
  });
}

/// A brick's slots out of a copy that is there.
void loadFrom(const Bricks &bricks, const ModeCopy &from, int64_t brick,
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
  forSegments(from, brick,
              [&](int64_t, int64_t row, int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                  slots.local[from.key][home[i]] = uint32_t(row);
              });
}

} // namespace

ModeCopy copySlots(const Bricks &bricks, unsigned mode, LoadBrick load,
                   unsigned threads) {
  Copier copier(bricks, mode, load);
  parallelFor(bricks.bricks(), threads,
              [&](int64_t brick) { copier.sortBrick(brick); });
  copier.joinSegments(threads);
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
  return withinMemory({"expected memory for " + what +
                       " but got none: it takes up to " + std::to_string(most) +
                       " bytes"},
                      [&]() -> Status {
                        bricks.copies[mode] = copySlots(
                            bricks, mode,
                            [&](int64_t brick, BrickSlots &slots) {
                              loadFrom(bricks, from, brick, slots);
                            },
                            options.threads);
                        return Success{};
                      });
}

} // namespace astfe::core
