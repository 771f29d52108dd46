//===- CheckBricks.cpp - what the tables of bricks promise ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bricks/BrickSlots.h"
#include <algorithm>

namespace astfe::core {
namespace {

Error inBrick(int64_t brick, const std::string &text) {
  return Error{"brick " + std::to_string(brick) + ": " + text};
}

std::string outOf(const std::string &what, int64_t from, int64_t to,
                  int64_t got) {
  return "expected " + what + " in " + std::to_string(from) + ".." +
         std::to_string(to) + " but got " + std::to_string(got);
}

class Checker {
public:
  explicit Checker(const Bricks &bricks)
      : bricks(bricks), rank(bricks.rank()) {}

  Status sizes() const;
  Status places() const;
  Status numbers() const;
  Status copy(unsigned mode) const;

private:
  int64_t slotsOf(int64_t brick) const {
    return bricks.brickSlot[size_t(brick) + 1] -
           bricks.brickSlot[size_t(brick)];
  }
  int64_t reach(int64_t brick, unsigned mode) const {
    return bricks.reach[size_t(brick) * rank + mode];
  }
  Status tables(const ModeCopy &copy, unsigned mode) const;
  Status segments(const ModeCopy &copy, int64_t brick) const;
  Status home(const ModeCopy &copy, int64_t brick) const;
  Status order(const ModeCopy &copy, int64_t brick) const;

  const Bricks &bricks;
  unsigned rank;
};

Status expectSize(const std::string &what, size_t expected, size_t got) {
  if (expected == got)
    return Success{};
  return Error{"expected " + std::to_string(expected) + " " + what +
               " but got " + std::to_string(got)};
}

Status Checker::sizes() const {
  if (rank < 1 || rank > kMaxRank)
    return Error{outOf("a rank", 1, kMaxRank, rank)};
  if (bricks.brickSlot.empty() || bricks.brickSlot[0] != 0)
    return Error{"expected slots of bricks from 0 on but got others"};
  const auto count = size_t(bricks.bricks());
  for (Status s : {expectSize("widths", rank, bricks.bits.size()),
                   expectSize("copies", rank, bricks.copies.size()),
                   expectSize("origins", count * rank, bricks.origin.size()),
                   expectSize("reaches", count * rank, bricks.reach.size()),
                   expectSize("numbers of nonzeros", size_t(bricks.nonzeros),
                              bricks.nonzeroOf.size())})
    if (!s)
      return s;
  if (std::none_of(bricks.copies.begin(), bricks.copies.end(),
                   [](const auto &mode) { return bool(mode); }))
    return Error{"expected a copy but got none"};
  return expectSize("slots", size_t(bricks.nonzeros),
                    size_t(bricks.brickSlot.back()));
}

Status Checker::places() const {
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    if (slotsOf(b) < 1 || slotsOf(b) > kBrickSlots)
      return inBrick(b, outOf("slots", 1, kBrickSlots, slotsOf(b)));
    for (unsigned k = 0; k < rank; ++k) {
      const int64_t origin = bricks.origin[size_t(b) * rank + k];
      const std::string of = " of mode " + std::to_string(k);
      if (origin < 0 || origin >= bricks.shape[k] - reach(b, k))
        return inBrick(b, outOf("an origin" + of, 0,
                                bricks.shape[k] - reach(b, k) - 1, origin));
      if (LocalArray::bitsFor(uint32_t(reach(b, k))) > bricks.bits[k])
        return inBrick(b, "expected a reach" + of + " of " +
                              std::to_string(bricks.bits[k]) +
                              " bits but got " + std::to_string(reach(b, k)));
    }
  }
  return Success{};
}

Status Checker::numbers() const {
  std::vector<bool> seen(size_t(bricks.nonzeros), false);
  for (int64_t n : bricks.nonzeroOf) {
    if (n < 0 || n >= bricks.nonzeros)
      return Error{outOf("a nonzero", 0, bricks.nonzeros - 1, n)};
    if (seen[size_t(n)])
      return Error{"expected each nonzero once but got " + std::to_string(n) +
                   " again"};
    seen[size_t(n)] = true;
  }
  return Success{};
}

Status Checker::tables(const ModeCopy &copy, unsigned mode) const {
  const auto slots = size_t(bricks.nonzeros);
  const auto segments = size_t(copy.segments());
  if (copy.key != mode)
    return Error{"expected key " + std::to_string(mode) + " but got " +
                 std::to_string(copy.key)};
  for (Status s :
       {expectSize("modes", rank, copy.coordinates.size()),
        expectSize("homes", slots, copy.home.size()),
        expectSize("rows", segments, copy.segmentRow.size()),
        expectSize("ends of bricks", bricks.brickSlot.size(),
                   copy.brickSegment.size()),
        expectSize("segments", segments, size_t(copy.brickSegment.back()))})
    if (!s)
      return s;
  for (unsigned k = 0; k < rank; ++k) {
    const LocalArray &mine = k == mode ? copy.segmentRow : copy.coordinates[k];
    if (mine.bits() != bricks.bits[k])
      return Error{"expected " + std::to_string(bricks.bits[k]) +
                   " bits of mode " + std::to_string(k) + " but got " +
                   std::to_string(mine.bits())};
    if (k != mode)
      if (Status s = expectSize("coordinates", slots, mine.size()); !s)
        return s;
  }
  return Success{};
}

Status Checker::segments(const ModeCopy &copy, int64_t brick) const {
  const int64_t first = copy.brickSegment[size_t(brick)];
  const int64_t last = copy.brickSegment[size_t(brick) + 1];
  if (last <= first || last > copy.segments())
    return inBrick(brick,
                   outOf("segments up to", first + 1, copy.segments(), last));
  int64_t row = -1, slot = -1;
  for (int64_t g = first; g < last; ++g) {
    const int64_t nextRow = copy.segmentRow[size_t(g)];
    const int64_t nextSlot = copy.segmentLast[size_t(g)];
    if (nextRow <= row || nextRow > reach(brick, copy.key))
      return inBrick(brick,
                     outOf("a row", row + 1, reach(brick, copy.key), nextRow));
    if (nextSlot <= slot || nextSlot >= slotsOf(brick))
      return inBrick(
          brick, outOf("a last slot", slot + 1, slotsOf(brick) - 1, nextSlot));
    row = nextRow;
    slot = nextSlot;
  }
  if (slot + 1 != slotsOf(brick))
    return inBrick(brick, "expected segments of " +
                              std::to_string(slotsOf(brick)) +
                              " slots but got " + std::to_string(slot + 1));
  return Success{};
}

Status Checker::home(const ModeCopy &copy, int64_t brick) const {
  const int64_t first = bricks.brickSlot[size_t(brick)];
  std::vector<bool> seen(size_t(slotsOf(brick)), false);
  for (int64_t s = 0; s < slotsOf(brick); ++s) {
    const int64_t h = copy.home[size_t(first + s)];
    if (h >= slotsOf(brick) || seen[size_t(h)])
      return inBrick(brick, "expected each home once, below " +
                                std::to_string(slotsOf(brick)) + ", but got " +
                                std::to_string(h));
    seen[size_t(h)] = true;
    for (unsigned k = 0; k < rank; ++k)
      if (k != copy.key &&
          copy.coordinates[k][size_t(first + s)] > reach(brick, k))
        return inBrick(brick, outOf("a coordinate of mode " + std::to_string(k),
                                    0, reach(brick, k),
                                    copy.coordinates[k][size_t(first + s)]));
  }
  return Success{};
}

/// Home order is by coordinates and n, and the slots of a row keep it.
Status Checker::order(const ModeCopy &copy, int64_t brick) const {
  const auto first = size_t(bricks.brickSlot[size_t(brick)]);
  const auto count = size_t(slotsOf(brick));
  std::vector<std::vector<int64_t>> points(count,
                                           std::vector<int64_t>(rank + 1));
  bool keeps = true;
  forSegments(
      copy, brick, [&](int64_t, int64_t row, int64_t begin, int64_t end) {
        for (auto s = size_t(begin); s < size_t(end); ++s) {
          const size_t h = copy.home[first + s];
          keeps &= s == size_t(begin) || copy.home[first + s - 1] < h;
          for (unsigned k = 0; k < rank; ++k)
            points[h][k] =
                k == copy.key ? row : int64_t(copy.coordinates[k][first + s]);
          points[h][rank] = bricks.nonzeroOf[first + h];
        }
      });
  if (!keeps)
    return inBrick(brick, "expected the slots of a row in home order but got "
                          "another");
  for (size_t h = 1; h < count; ++h)
    if (!(points[h - 1] < points[h]))
      return inBrick(brick, "home slot " + std::to_string(h) +
                                ": expected ascending coordinates but got "
                                "others");
  return Success{};
}

Status Checker::copy(unsigned mode) const {
  const ModeCopy &mine = *bricks.copies[mode];
  if (Status s = tables(mine, mode); !s)
    return s;
  for (int64_t b = 0; b < bricks.bricks(); ++b)
    for (auto step : {&Checker::segments, &Checker::home, &Checker::order})
      if (Status s = (this->*step)(mine, b); !s)
        return s;
  return Success{};
}

} // namespace

Status Bricks::check() const {
  const Checker checker(*this);
  for (auto step : {&Checker::sizes, &Checker::places, &Checker::numbers})
    if (Status s = (checker.*step)(); !s)
      return s;
  for (unsigned k = 0; k < rank(); ++k)
    if (copies[k])
      if (Status s = checker.copy(k); !s)
        return Error{"mode " + std::to_string(k) + ": " + s.message()};
  return Success{};
}

} // namespace astfe::core
