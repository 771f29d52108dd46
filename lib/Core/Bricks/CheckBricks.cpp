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
  Status runTables(const SlotRuns &runs, unsigned mode) const;
  Status runs(const SlotRuns &runs, unsigned mode, int64_t brick,
              ArrayRef<uint16_t> ends) const;
  Status allRuns(const ModeCopy &copy, int64_t brick) const;
  Status fibers(const ModeCopy &copy, int64_t brick) const;
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

Status Checker::runTables(const SlotRuns &runs, unsigned mode) const {
  if (runs.coordinate.bits() != bricks.bits[mode])
    return Error{"expected " + std::to_string(bricks.bits[mode]) +
                 " bits of mode " + std::to_string(mode) + " but got " +
                 std::to_string(runs.coordinate.bits())};
  for (Status s :
       {expectSize("coordinates of runs", size_t(runs.count()),
                   runs.coordinate.size()),
        expectSize("ends of bricks", bricks.brickSlot.size(),
                   runs.begin.size()),
        expectSize("runs", size_t(runs.count()), size_t(runs.begin.back()))})
    if (!s)
      return s;
  return Success{};
}

Status Checker::tables(const ModeCopy &copy, unsigned mode) const {
  const auto slots = size_t(bricks.nonzeros);
  if (copy.key != mode)
    return Error{"expected key " + std::to_string(mode) + " but got " +
                 std::to_string(copy.key)};
  if (copy.fiberMode && (*copy.fiberMode >= rank || *copy.fiberMode == mode))
    return Error{"expected fibers of another mode below " +
                 std::to_string(rank) + " but got " +
                 std::to_string(*copy.fiberMode)};
  for (Status s :
       {expectSize("modes", rank, copy.coordinates.size()),
        expectSize("homes", slots, copy.home.size()),
        runTables(copy.segments, mode),
        copy.fiberMode ? runTables(copy.fibers, *copy.fiberMode) : Success{}})
    if (!s)
      return s;
  for (unsigned k = 0; k < rank; ++k) {
    const LocalArray &mine = copy.coordinates[k];
    if (mine.bits() != bricks.bits[k])
      return Error{"expected " + std::to_string(bricks.bits[k]) +
                   " bits of mode " + std::to_string(k) + " but got " +
                   std::to_string(mine.bits())};
    if (Status s =
            expectSize("coordinates", k == mode ? 0 : slots, mine.size());
        !s)
      return s;
  }
  return Success{};
}

/// Runs of a brick are not empty and hold all of its slots; `ends` are where
/// coordinates begin to ascend anew, by last slot.
Status Checker::runs(const SlotRuns &runs, unsigned mode, int64_t brick,
                     ArrayRef<uint16_t> ends) const {
  const int64_t first = runs.begin[size_t(brick)];
  const int64_t last = runs.begin[size_t(brick) + 1];
  if (last <= first || last > runs.count())
    return inBrick(brick, outOf("runs up to", first + 1, runs.count(), last));
  int64_t coordinate = -1, slot = -1;
  for (int64_t r = first; r < last; ++r) {
    const int64_t next = runs.coordinate[size_t(r)];
    const int64_t nextSlot = runs.last[size_t(r)];
    if (next <= coordinate || next > reach(brick, mode))
      return inBrick(brick, outOf("a coordinate of a run", coordinate + 1,
                                  reach(brick, mode), next));
    if (nextSlot <= slot || nextSlot >= slotsOf(brick))
      return inBrick(
          brick, outOf("a last slot", slot + 1, slotsOf(brick) - 1, nextSlot));
    coordinate = next;
    slot = nextSlot;
    if (!ends.empty() && slot == ends.front()) {
      coordinate = -1;
      ends = ends.drop_front();
    }
  }
  if (slot + 1 != slotsOf(brick) || !ends.empty())
    return inBrick(brick, "expected runs of " + std::to_string(slotsOf(brick)) +
                              " slots but got others");
  return Success{};
}

Status Checker::allRuns(const ModeCopy &copy, int64_t brick) const {
  if (Status s = runs(copy.segments, copy.key, brick, {}); !s)
    return s;
  if (!copy.fiberMode)
    return Success{};
  const int64_t first = copy.segments.begin[size_t(brick)];
  const int64_t last = copy.segments.begin[size_t(brick) + 1];
  return runs(copy.fibers, *copy.fiberMode, brick,
              ArrayRef<uint16_t>(copy.segments.last.data() + first,
                                 size_t(last - first)));
}

/// Slots have the coordinates of their fibers.
Status Checker::fibers(const ModeCopy &copy, int64_t brick) const {
  Status result = Success{};
  if (!copy.fiberMode)
    return result;
  const LocalArray &slots = copy.coordinates[*copy.fiberMode];
  const int64_t first = bricks.brickSlot[size_t(brick)];
  forRuns(copy.fibers, brick,
          [&](int64_t coordinate, int64_t begin, int64_t end) {
            for (int64_t s = begin; s < end; ++s)
              if (slots[size_t(first + s)] != coordinate)
                result = inBrick(
                    brick, "expected a slot at the coordinate of its fiber, " +
                               std::to_string(coordinate) + ", but got " +
                               std::to_string(slots[size_t(first + s)]));
          });
  return result;
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

/// Home order is by coordinates and n, the slots of the shortest runs keep it,
/// and all copies have the same coordinates.
Status Checker::order(const ModeCopy &copy, int64_t brick) const {
  BrickSlots slots(rank), first(rank);
  loadSlots(bricks, copy, brick, slots);
  loadSlots(bricks, *bricks.copies[bricks.anyKey()], brick, first);
  if (slots.local != first.local)
    return inBrick(brick, "expected the coordinates of mode " +
                              std::to_string(bricks.anyKey()) +
                              "'s copy but got others");
  const auto begin = size_t(bricks.brickSlot[size_t(brick)]);
  const uint16_t *home = copy.home.data() + begin;
  bool keeps = true;
  forRuns(copy.fiberMode ? copy.fibers : copy.segments, brick,
          [&](int64_t, int64_t from, int64_t to) {
            keeps &= std::is_sorted(home + from, home + to);
          });
  if (!keeps)
    return inBrick(brick, "expected the slots of a run in home order but got "
                          "another");
  auto pointOf = [&](size_t h) {
    std::array<int64_t, kMaxRank + 1> point{};
    for (unsigned k = 0; k < rank; ++k)
      point[k] = slots.local[k][h];
    point[rank] = bricks.nonzeroOf[begin + h];
    return point;
  };
  for (size_t h = 1; h < slots.count(); ++h)
    if (pointOf(h - 1) >= pointOf(h))
      return inBrick(brick, "home slot " + std::to_string(h) +
                                ": expected ascending coordinates but got "
                                "others");
  return Success{};
}

Status Checker::copy(unsigned mode) const {
  const ModeCopy &mine = *bricks.copies[mode];
  if (Status s = tables(mine, mode); !s)
    return s;
  // The first copy is sound when the others are compared to it.
  for (int64_t b = 0; b < bricks.bricks(); ++b)
    for (auto step :
         {&Checker::allRuns, &Checker::fibers, &Checker::home, &Checker::order})
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
