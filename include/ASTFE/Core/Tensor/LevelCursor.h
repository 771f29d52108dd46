//===- LevelCursor.h - the nonzeros of levels, whatever their kinds -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Yields the nonzeros whose numbers are in [begin, end), a batch at a time,
// so that pieces of that range can be read in parallel. A batch begins with
// numbers of entries and goes up the levels: a position gives a coordinate and
// the position of its parent, which never descends from entry to entry; the
// first parent is found by binary search, the others by going on from there.
//
// Worked example, DCSR of LevelView.h, [1, 3): entries 1 2 have the columns
// 3 0 and the parents 0 1, which have the rows 0 2: (0, 3) (2, 0).
//
// O(levels) for an entry and, once, O(levels log positions).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_LEVELCURSOR_H
#define ASTFE_CORE_TENSOR_LEVELCURSOR_H

#include "ASTFE/Core/Tensor/LevelView.h"

namespace astfe::core {

class LevelCursor {
public:
  /// Entries of a batch, at most.
  static constexpr int64_t kBatch = 1024;

  /// `view` has passed checkPositions() and outlives the cursor.
  LevelCursor(const LevelView &view, int64_t begin, int64_t end);

  /// Moves on; false at the end.
  bool next();

  int64_t size() const { return count; }
  /// The numbers n of the batch's nonzeros, ascending.
  const int64_t *numbers() const { return places.back().data(); }
  /// An array for each mode.
  ArrayRef<const int64_t *> coordinates() const { return modes; }
  /// Positions and coordinates by level.
  const int64_t *positionsAt(size_t level) const {
    return places[level].data();
  }
  const int64_t *coordinatesAt(size_t level) const {
    return found[level].data();
  }

private:
  using Batch = std::array<int64_t, kBatch>;
  void ascend(size_t level);
  void readCoordinates(const TensorLevel &level, size_t at);
  template <typename T>
  void findParents(const TensorLevel &level, size_t at, const T *positions);
  void dropGaps();
  void sumModes();

  const LevelView &view;
  int64_t position, end, taken = 0, count = 0;
  bool hasGap = false;
  std::vector<Batch> places;   ///< positions, by level
  std::vector<Batch> found;    ///< coordinates, by level
  std::vector<Batch> sums;     ///< of modes that have several levels
  std::vector<int64_t> parent; ///< the last one, by level; -1: none yet
  std::array<bool, kBatch> isGap{};
  std::vector<const int64_t *> modes;
};

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_LEVELCURSOR_H
