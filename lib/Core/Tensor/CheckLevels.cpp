//===- CheckLevels.cpp - what levels promise, proved ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and uniqueness are promises about siblings. Of two entries that follow
// each other, the first level at which their positions differ is where they
// become siblings: there the second coordinate is larger (ordered) or at least
// another (unique). Where it is the same, the coordinates below decide, as they
// do in COO, whose singletons share a coordinate but no position.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Tensor/LevelCursor.h"
#include "Support/LargestExtent.h"

using namespace astfe::core;

namespace {

class Checker {
public:
  explicit Checker(const LevelView &view) : view(view) {}

  Status positions() const;
  Status coordinates() const;
  Status siblings() const;

private:
  Error at(size_t level, const std::string &text) const {
    return Error{"level " + std::to_string(level) + " (" +
                 std::string(levelName(view.levels[level].kind)) +
                 "): " + text};
  }
  Error expected(size_t level, const std::string &what, int64_t wanted,
                 int64_t got) const {
    return at(level, "expected " + std::to_string(wanted) + " " + what +
                         " but got " + std::to_string(got));
  }
  Status level(size_t level) const;
  Status place(size_t level) const;
  Status arrays(size_t level, int64_t parents) const;
  Status compressed(size_t level) const;
  Status loose(size_t level) const;
  Status mode(unsigned k) const;
  Status compare(const LevelCursor &cursor, int64_t i, ArrayRef<int64_t> places,
                 ArrayRef<int64_t> found) const;

  const LevelView &view;
};

/// Which levels may stand where.
Status Checker::place(size_t l) const {
  const TensorLevel &level = view.levels[l];
  if (level.mode >= view.rank())
    return at(l, "expected a mode below " + std::to_string(view.rank()) +
                     " but got " + std::to_string(level.mode));
  if (level.size < 0)
    return at(l,
              "expected a size from 0 but got " + std::to_string(level.size));
  const bool follows = l > 0 && view.levels[l - 1].kind != LevelKind::Dense &&
                       view.levels[l - 1].kind != LevelKind::NOutOfM;
  if (level.kind == LevelKind::Singleton && !follows)
    return at(l, "expected a level with coordinates above a singleton but got "
                 "none");
  if (level.kind == LevelKind::NOutOfM &&
      (level.stored < 1 || level.stored > level.size))
    return at(l, "expected n in 1.." + std::to_string(level.size) +
                     " but got " + std::to_string(level.stored));
  return Success{};
}

/// The arrays that its kind has are as long as its parents want.
Status Checker::arrays(size_t l, int64_t parents) const {
  const TensorLevel &level = view.levels[l];
  int64_t positions = 0, coordinates = 0;
  switch (level.kind) {
  case LevelKind::Dense:
    if (__int128(parents) * level.size > kLargestExtent)
      return at(l, "expected at most 2^62 positions but got " +
                       std::to_string(parents) + " times " +
                       std::to_string(level.size));
    break;
  case LevelKind::Compressed:
    positions = parents + 1;
    coordinates = level.coordinates.size();
    break;
  case LevelKind::Loose:
    positions = 2 * parents;
    coordinates = level.coordinates.size();
    break;
  case LevelKind::Singleton:
    coordinates = parents;
    break;
  case LevelKind::NOutOfM:
    coordinates = view.positionsOf(l);
    break;
  }
  if (level.positions.size() != positions)
    return expected(l, "positions", positions, level.positions.size());
  if (level.coordinates.size() != coordinates)
    return expected(l, "coordinates", coordinates, level.coordinates.size());
  return Success{};
}

Status Checker::compressed(size_t l) const {
  const LevelArray &positions = view.levels[l].positions;
  const int64_t entries = view.levels[l].coordinates.size();
  if (positions[0] != 0)
    return at(l,
              "position 0: expected 0 but got " + std::to_string(positions[0]));
  for (int64_t p = 1; p < positions.size(); ++p)
    if (positions[p] < positions[p - 1])
      return at(l, "position " + std::to_string(p) + ": expected at least " +
                       std::to_string(positions[p - 1]) + " but got " +
                       std::to_string(positions[p]));
  const int64_t last = positions.size() - 1;
  if (positions[last] != entries)
    return at(l, "position " + std::to_string(last) + ": expected the " +
                     std::to_string(entries) + " coordinates but got " +
                     std::to_string(positions[last]));
  return Success{};
}

Status Checker::loose(size_t l) const {
  const LevelArray &positions = view.levels[l].positions;
  const int64_t entries = view.levels[l].coordinates.size();
  int64_t least = 0;
  for (int64_t p = 0; p < positions.size(); ++p) {
    if (positions[p] < least || positions[p] > entries)
      return at(l, "position " + std::to_string(p) + ": expected one in " +
                       std::to_string(least) + ".." + std::to_string(entries) +
                       " but got " + std::to_string(positions[p]));
    least = positions[p];
  }
  return Success{};
}

Status Checker::level(size_t l) const {
  if (Status s = place(l); !s)
    return s;
  if (Status s = arrays(l, l == 0 ? 1 : view.positionsOf(l - 1)); !s)
    return s;
  if (view.levels[l].kind == LevelKind::Compressed)
    return compressed(l);
  if (view.levels[l].kind == LevelKind::Loose)
    return loose(l);
  return Success{};
}

/// Of a mode's levels, in some order, each counts for as many as those before
/// it have values, and all together for the extent.
Status Checker::mode(unsigned k) const {
  std::vector<size_t> left;
  for (size_t l = view.levels.size(); l-- > 0;)
    if (view.levels[l].mode == k)
      left.push_back(l);
  const size_t all = left.size();
  __int128 values = 1;
  while (!left.empty()) {
    // Of those that fit, one of a single value first: others fit still.
    auto next = left.end();
    for (auto l = left.begin(); l != left.end(); ++l)
      if (view.levels[*l].scale == values &&
          (next == left.end() || view.levels[*l].size == 1))
        next = l;
    if (next == left.end())
      return at(left.front(),
                "expected a scale of " + std::to_string(int64_t(values)) +
                    " but got " +
                    std::to_string(view.levels[left.front()].scale) +
                    (all > 1 ? ", as mode " + std::to_string(k) + " has " +
                                   std::to_string(all) + " levels"
                             : ""));
    values = std::min(values * view.levels[*next].size,
                      __int128(kLargestExtent) + 1);
    left.erase(next);
  }
  if (all == 0 || values != view.shape[k])
    return Error{"mode " + std::to_string(k) + ": expected levels of " +
                 std::to_string(view.shape[k]) + " values but got " +
                 std::to_string(all == 0 ? 0 : int64_t(values))};
  return Success{};
}

Status Checker::positions() const {
  if (Result<Order> order = Order::get(OrderKind::Rows, view.shape); !order)
    return order.error();
  if (view.levels.empty() || view.levels.size() > kMaxLevels)
    return Error{"expected 1 to " + std::to_string(kMaxLevels) +
                 " levels but got " + std::to_string(view.levels.size())};
  for (size_t l = 0; l < view.levels.size(); ++l)
    if (Status s = level(l); !s)
      return s;
  for (unsigned k = 0; k < view.rank(); ++k)
    if (Status s = mode(k); !s)
      return s;
  return Success{};
}

/// What loose levels skip may be anything.
Status Checker::coordinates() const {
  for (size_t l = 0; l < view.levels.size(); ++l) {
    const TensorLevel &level = view.levels[l];
    if (level.kind == LevelKind::Dense)
      continue;
    LevelView above{
        view.shape,
        {view.levels.begin(), view.levels.begin() + int64_t(l) + 1}};
    for (LevelCursor cursor(above, 0, above.entries()); cursor.next();)
      for (int64_t i = 0; i < cursor.size(); ++i) {
        const int64_t coordinate = cursor.coordinatesAt(l)[i];
        if (coordinate < 0 || coordinate >= level.size)
          return at(l, "entry " + std::to_string(cursor.numbers()[i]) +
                           ": expected a coordinate of mode " +
                           std::to_string(level.mode) + " below " +
                           std::to_string(level.size) + " but got " +
                           std::to_string(coordinate));
      }
  }
  return Success{};
}

/// Entry i of the cursor against the one before it.
Status Checker::compare(const LevelCursor &cursor, int64_t i,
                        ArrayRef<int64_t> places,
                        ArrayRef<int64_t> found) const {
  size_t l = 0;
  while (cursor.positionsAt(l)[i] == places[l])
    ++l;
  for (; l < view.levels.size(); ++l) {
    const TensorLevel &level = view.levels[l];
    const int64_t coordinate = cursor.coordinatesAt(l)[i];
    const std::string entry =
        "entry " + std::to_string(cursor.positionsAt(l)[i]) + ": expected ";
    if (level.ordered && coordinate < found[l])
      return at(l, entry + "a coordinate from " + std::to_string(found[l]) +
                       " but got " + std::to_string(coordinate));
    if (level.ordered && level.unique && coordinate == found[l])
      return at(l, entry + "a coordinate above " + std::to_string(found[l]) +
                       " but got it again");
    if (coordinate != found[l])
      return Success{};
  }
  return Success{};
}

Status Checker::siblings() const {
  const size_t levels = view.levels.size();
  std::vector<int64_t> places, found(levels);
  for (LevelCursor cursor(view, 0, view.entries()); cursor.next();)
    for (int64_t i = 0; i < cursor.size(); ++i) {
      if (!places.empty())
        if (Status s = compare(cursor, i, places, found); !s)
          return s;
      places.resize(levels);
      for (size_t l = 0; l < levels; ++l) {
        places[l] = cursor.positionsAt(l)[i];
        found[l] = cursor.coordinatesAt(l)[i];
      }
    }
  return Success{};
}

} // namespace

Status LevelView::checkPositions() const { return Checker(*this).positions(); }

Status LevelView::check() const {
  const Checker checker(*this);
  if (Status s = checker.positions(); !s)
    return s;
  if (Status s = checker.coordinates(); !s)
    return s;
  return checker.siblings();
}
