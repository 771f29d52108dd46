//===- LevelCursor.cpp - the nonzeros of levels, whatever their kinds -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/LevelCursor.h"
#include <algorithm>
#include <numeric>

using namespace astfe::core;

LevelCursor::LevelCursor(const LevelView &view, int64_t begin, int64_t end)
    : view(view), position(begin), end(end), places(view.levels.size()),
      found(view.levels.size()), sums(view.rank()),
      parent(view.levels.size(), -1), modes(view.rank(), nullptr) {
  for (unsigned k = 0; k < view.rank(); ++k) {
    size_t levels = 0;
    for (size_t l = 0; l < view.levels.size(); ++l)
      if (view.levels[l].mode == k) {
        modes[k] = found[l].data();
        ++levels;
      }
    if (levels > 1)
      modes[k] = sums[k].data();
  }
}

bool LevelCursor::next() {
  for (count = 0; count == 0;) {
    position += taken;
    taken = std::min(kBatch, end - position);
    if (taken <= 0) {
      taken = 0;
      return false;
    }
    std::iota(places.back().begin(), places.back().begin() + taken, position);
    for (size_t level = places.size(); level-- > 0;)
      ascend(level);
    count = taken;
    if (hasGap)
      dropGaps();
  }
  sumModes();
  return true;
}

/// The coordinates of this level's positions, and the positions above them.
void LevelCursor::ascend(size_t at) {
  const TensorLevel &level = view.levels[at];
  const Batch &here = places[at];
  Batch root;
  Batch &above = at == 0 ? root : places[at - 1];
  switch (level.kind) {
  case LevelKind::Dense:
    for (int64_t i = 0; i < taken; ++i) {
      above[size_t(i)] = here[size_t(i)] / level.size;
      found[at][size_t(i)] = here[size_t(i)] - above[size_t(i)] * level.size;
    }
    return;
  case LevelKind::Singleton:
    std::copy_n(here.begin(), taken, above.begin());
    break;
  case LevelKind::NOutOfM:
    for (int64_t i = 0; i < taken; ++i)
      above[size_t(i)] = here[size_t(i)] / level.stored;
    break;
  case LevelKind::Compressed:
  case LevelKind::Loose:
    level.positions.visit(
        [&](const auto *data) { findParents(level, at, data); });
    break;
  }
  readCoordinates(level, at);
}

void LevelCursor::readCoordinates(const TensorLevel &level, size_t at) {
  const int64_t stride = level.coordinates.stride();
  level.coordinates.visit([&](const auto *data) {
    for (int64_t i = 0; i < taken; ++i)
      found[at][size_t(i)] = int64_t(data[places[at][size_t(i)] * stride]);
  });
}

template <typename T>
void LevelCursor::findParents(const TensorLevel &level, size_t at,
                              const T *positions) {
  const int64_t stride = level.positions.stride();
  const bool loose = level.kind == LevelKind::Loose;
  const int64_t parents =
      loose ? level.positions.size() / 2 : level.positions.size() - 1;
  auto beginOf = [&](int64_t p) {
    return int64_t(positions[(loose ? 2 * p : p) * stride]);
  };
  auto endOf = [&](int64_t p) {
    return int64_t(positions[(loose ? 2 * p + 1 : p + 1) * stride]);
  };
  int64_t p = parent[at];
  if (p < 0) { // The last one that begins at or before the first position.
    int64_t high = parents;
    for (p = 0; high - p > 1;) {
      const int64_t middle = p + (high - p) / 2;
      (beginOf(middle) <= places[at][0] ? p : high) = middle;
    }
  }
  Batch root;
  Batch &above = at == 0 ? root : places[at - 1];
  for (int64_t i = 0; i < taken; ++i) {
    const int64_t q = places[at][size_t(i)];
    while (p + 1 < parents && endOf(p) <= q)
      ++p;
    above[size_t(i)] = p;
    if (loose && (q < beginOf(p) || q >= endOf(p)))
      hasGap = isGap[size_t(i)] = true;
  }
  parent[at] = p;
}

void LevelCursor::dropGaps() {
  count = 0;
  for (int64_t i = 0; i < taken; ++i) {
    if (isGap[size_t(i)])
      continue;
    for (size_t level = 0; level < places.size(); ++level) {
      places[level][size_t(count)] = places[level][size_t(i)];
      found[level][size_t(count)] = found[level][size_t(i)];
    }
    ++count;
  }
  hasGap = false;
  isGap.fill(false);
}

void LevelCursor::sumModes() {
  for (unsigned k = 0; k < view.rank(); ++k) {
    if (modes[k] != sums[k].data())
      continue;
    std::fill_n(sums[k].begin(), count, 0);
    for (size_t l = 0; l < places.size(); ++l)
      for (int64_t i = 0; view.levels[l].mode == k && i < count; ++i)
        sums[k][size_t(i)] += view.levels[l].scale * found[l][size_t(i)];
  }
}
