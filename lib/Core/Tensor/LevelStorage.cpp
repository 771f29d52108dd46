//===- LevelStorage.cpp - the arrays of a tensor stored by levels ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/LevelStorage.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Support/StableSort.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::core;

namespace {

/// Ends of runs of the sorted nonzeros, one for each position of a level; a run
/// begins where the last one ends.
using Runs = std::vector<int64_t>;

class Builder {
public:
  Builder(const CooTensor &tensor, ArrayRef<StorageLevel> levels)
      : tensor(tensor), levels(levels),
        order(identityOrder(tensor.nonzeros())), runs{tensor.nonzeros()} {}

  Result<LevelStorage> build() {
    sort();
    storage.positions.resize(levels.size());
    storage.coordinates.resize(levels.size());
    for (size_t l = 0; l < levels.size(); ++l)
      if (Status status = addLevel(l); !status)
        return status.error();
    if (Status status = addEntries(); !status)
      return status.error();
    return std::move(storage);
  }

private:
  /// Stable by the coordinates of the levels, the last one first.
  void sort() {
    for (size_t l = levels.size(); l-- > 0;) {
      const StorageLevel &level = levels[l];
      const int64_t *mode = tensor.coordinates[level.mode].data();
      auto at = [&](int64_t i) { return level.coordinateOf(mode[i]); };
      if (!std::is_sorted(order.begin(), order.end(),
                          [&](auto i, auto j) { return at(i) < at(j); }))
        stableSortBy(order, uint64_t(extent(l)),
                     [&](int64_t i) { return uint64_t(at(i)); });
    }
  }

  int64_t extent(size_t l) const {
    return levels[l].extentOf(tensor.shape[levels[l].mode]);
  }
  int64_t coordinate(size_t l, int64_t n) const {
    return levels[l].coordinateOf(
        tensor.coordinates[levels[l].mode][size_t(order[size_t(n)])]);
  }

  Status addLevel(size_t l) {
    switch (levels[l].kind) {
    case LevelKind::Dense:
      addDense(l);
      return Success();
    case LevelKind::Compressed:
    case LevelKind::Loose:
      addCompressed(l);
      return Success();
    case LevelKind::Singleton:
      return addSingleton(l);
    case LevelKind::NOutOfM:
      break;
    }
    return Error{"level " + std::to_string(l) +
                 ": expected a level that a file's nonzeros can fill but got " +
                 std::string(levelName(LevelKind::NOutOfM))};
  }

  void addDense(size_t l) {
    const int64_t size = extent(l);
    Runs next;
    next.reserve(runs.size() * size_t(size));
    int64_t n = 0;
    for (int64_t end : runs)
      for (int64_t c = 0; c < size; ++c) {
        while (n < end && coordinate(l, n) == c)
          ++n;
        next.push_back(n);
      }
    runs = std::move(next);
  }

  void addCompressed(size_t l) {
    const bool loose = levels[l].kind == LevelKind::Loose;
    std::vector<int64_t> &positions = storage.positions[l];
    std::vector<int64_t> &coordinates = storage.coordinates[l];
    // Where there are many positions, most are of empty rows.
    positions.reserve(loose ? 2 * runs.size() : runs.size() + 1);
    if (!loose)
      positions.push_back(0);
    Runs next;
    int64_t n = 0;
    for (int64_t end : runs) {
      if (loose)
        positions.push_back(int64_t(next.size()));
      while (n < end) {
        const int64_t c = coordinate(l, n++);
        while (levels[l].unique && n < end && coordinate(l, n) == c)
          ++n;
        coordinates.push_back(c);
        next.push_back(n);
      }
      positions.push_back(int64_t(next.size()));
    }
    runs = std::move(next);
  }

  Status addSingleton(size_t l) {
    int64_t begin = 0;
    for (int64_t end : runs) {
      if (end - begin != 1)
        return Error{"level " + std::to_string(l) +
                     ": expected one nonzero for each position of the level "
                     "above but got " +
                     std::to_string(end - begin)};
      storage.coordinates[l].push_back(coordinate(l, begin));
      begin = end;
    }
    return Success();
  }

  Status addEntries() {
    storage.nonzeros.reserve(runs.size());
    int64_t begin = 0;
    for (int64_t end : runs) {
      if (end - begin > 1)
        return Error{"expected one nonzero for each entry but got " +
                     std::to_string(end - begin)};
      storage.nonzeros.push_back(end > begin ? order[size_t(begin)] : -1);
      begin = end;
    }
    return Success();
  }

  const CooTensor &tensor;
  ArrayRef<StorageLevel> levels;
  std::vector<int64_t> order;
  Runs runs;
  LevelStorage storage;
};

/// The levels of one mode, the finest first, have every digit of a coordinate.
bool hasAllDigits(std::vector<const StorageLevel *> levels) {
  std::sort(levels.begin(), levels.end(),
            [](const auto *a, const auto *b) { return a->scale < b->scale; });
  int64_t scale = 1;
  for (size_t i = 0; i < levels.size(); ++i) {
    const bool isLast = i + 1 == levels.size();
    if (levels[i]->scale != scale || (levels[i]->size == 0) != isLast)
      return false;
    scale *= levels[i]->size;
  }
  return !levels.empty();
}

Status checkModes(const CooTensor &tensor, ArrayRef<StorageLevel> levels) {
  std::vector<std::vector<const StorageLevel *>> ofMode(tensor.shape.size());
  bool known = true;
  for (const StorageLevel &level : levels) {
    known &= level.mode < ofMode.size();
    if (known)
      ofMode[level.mode].push_back(&level);
  }
  if (known && std::all_of(ofMode.begin(), ofMode.end(), hasAllDigits))
    return Success();
  return Error{"expected levels that have each coordinate of " +
               std::to_string(ofMode.size()) + " modes once but got " +
               std::to_string(levels.size()) + " levels that do not"};
}

} // namespace

Result<LevelStorage> core::storeByLevels(const CooTensor &tensor,
                                         ArrayRef<StorageLevel> levels) {
  if (Status status = checkModes(tensor, levels); !status)
    return status.error();
  return withinMemory({"out of memory for " +
                       std::to_string(tensor.nonzeros()) +
                       " nonzeros stored by levels"},
                      [&] { return Builder(tensor, levels).build(); });
}

/// The run of a level's positions that has the entry `at` of the level.
static int64_t runOf(const std::vector<int64_t> &positions, bool loose,
                     int64_t at) {
  // The last run that begins at `at` or before: those before it end there.
  const int64_t step = loose ? 2 : 1;
  int64_t first = 0, last = int64_t(positions.size()) / step;
  while (last - first > 1) {
    const int64_t middle = first + (last - first) / 2;
    (positions[size_t(step * middle)] <= at ? first : last) = middle;
  }
  return first;
}

std::vector<int64_t> core::coordinatesOf(int64_t entry,
                                         const LevelStorage &storage,
                                         ArrayRef<StorageLevel> levels,
                                         ArrayRef<int64_t> shape) {
  std::vector<int64_t> point(shape.size(), 0);
  for (size_t l = levels.size(); l-- > 0;) {
    const StorageLevel &level = levels[l];
    int64_t coordinate = 0;
    if (level.kind == LevelKind::Dense) {
      const int64_t extent = level.extentOf(shape[level.mode]);
      coordinate = entry % extent;
      entry /= extent;
    } else {
      coordinate = storage.coordinates[l][size_t(entry)];
      if (level.kind != LevelKind::Singleton)
        entry =
            runOf(storage.positions[l], level.kind == LevelKind::Loose, entry);
    }
    point[level.mode] += coordinate * level.scale;
  }
  return point;
}
