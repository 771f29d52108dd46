//===- Nonzeros.h - a sparse view as batches of coordinates -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the format, forEachBatch hands out the nonzeros of a range as
// short arrays of coordinates, one per mode: the caller's own arrays where they
// can be used as they are, else copies that stay in the first-level cache (the
// rows of CSR, the columns of CSC, 32-bit arrays beside 64-bit ones, and all
// that a cursor yields of levels).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TENSOR_NONZEROS_H
#define ASTFE_LIB_CORE_TENSOR_NONZEROS_H

#include "ASTFE/Core/Tensor/LevelCursor.h"
#include "ASTFE/Core/Tensor/SparseView.h"
#include <algorithm>

namespace astfe::core {

/// Calls body with the entries of an array, of whichever width.
template <typename Body>
auto withEntries(const IndexArray &array, Body body) {
  return array.is64() ? body(array.as64()) : body(array.as32());
}

/// Nonzeros in a batch.
constexpr int64_t kBatch = LevelCursor::kBatch;
/// Nonzeros in a chunk of a parallel loop: the same for any number of threads.
constexpr int64_t kChunk = int64_t(1) << 16;

inline int64_t chunkCount(int64_t nonzeros) {
  return (nonzeros + kChunk - 1) / kChunk;
}

/// True where every coordinate array and every index fits 32 bits, and nothing
/// is to be read through levels.
inline bool isNarrow(const SparseView &view) {
  if (view.levels)
    return false;
  for (const IndexArray &array : view.coordinates)
    if (array.is64())
      return false;
  if (view.format == SparseFormat::Coo)
    return true;
  return *std::max_element(view.shape.begin(), view.shape.end()) <= INT32_MAX;
}

/// The nonzeros [begin, end) of a view as batches with coordinates of type T:
/// int32_t where isNarrow(view), else int64_t.
template <typename T>
class NonzeroBatches {
public:
  NonzeroBatches(const SparseView &view, int64_t begin, int64_t end)
      : view(view), position(begin), end(end), pointers(view.rank()) {
    if (view.levels)
      levels = std::make_unique<LevelCursor>(*view.levels, begin, end);
    else if (view.format != SparseFormat::Coo)
      compressed = firstCompressed(begin);
  }

  /// Moves on; false at the end.
  bool next() {
    position += count;
    count = std::min(kBatch, end - position);
    if (count <= 0)
      return false;
    if (levels)
      return nextOfLevels();
    if (view.format == SparseFormat::Coo) {
      for (unsigned k = 0; k < view.rank(); ++k)
        pointers[k] = load(k, view.coordinates[k]);
      return true;
    }
    unsigned outer = view.format == SparseFormat::Csr ? 0 : 1;
    pointers[outer] = expand(outer);
    pointers[1 - outer] = load(1 - outer, view.coordinates[0]);
    return true;
  }

  int64_t first() const { return position; }
  int64_t size() const { return count; }
  ArrayRef<const T *> coordinates() const { return pointers; }

private:
  bool nextOfLevels() {
    if constexpr (sizeof(T) == 8) {
      [[maybe_unused]] const bool more = levels->next();
      assert(more && levels->size() == count && "a level with gaps");
      ArrayRef<const int64_t *> modes = levels->coordinates();
      pointers.assign(modes.begin(), modes.end());
      return true;
    }
    assert(false && "levels have wide coordinates");
    return false;
  }

  /// The last row (column for CSC) that begins at or before `nonzero`.
  int64_t firstCompressed(int64_t nonzero) const {
    int64_t low = 0, high = view.positions.size() - 1;
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      (view.positions[middle] <= nonzero ? low : high) = middle;
    }
    return low;
  }

  const T *load(unsigned mode, const IndexArray &array) {
    if constexpr (sizeof(T) == 4) {
      return array.as32() + position;
    } else {
      if (array.is64())
        return array.as64() + position;
      std::copy_n(array.as32() + position, count, copies[mode].data());
      return copies[mode].data();
    }
  }

  const T *expand(unsigned mode) {
    if (view.positions.is64())
      expandBy(view.positions.as64(), copies[mode].data());
    else
      expandBy(view.positions.as32(), copies[mode].data());
    return copies[mode].data();
  }

  /// Fills several entries at a time, also past the end of a row: the next row
  /// overwrites them.
  template <typename P>
  void expandBy(const P *positions, T *result) {
    for (int64_t i = 0; i < count;) {
      while (positions[compressed + 1] <= position + i)
        ++compressed;
      int64_t stop =
          std::min<int64_t>(count, positions[compressed + 1] - position);
      for (; i < stop; i += kFill)
        for (int64_t j = 0; j < kFill; ++j)
          result[i + j] = T(compressed);
      i = stop;
    }
  }

  const SparseView &view;
  int64_t position, end, count = 0, compressed = 0;
  std::vector<const T *> pointers;
  std::unique_ptr<LevelCursor> levels;
  /// Entries filled at once.
  static constexpr int64_t kFill = 8;
  std::array<std::array<T, kBatch + kFill>, kMaxRank> copies;
};

/// Calls body(row, column) for every nonzero of a matrix, in the caller's
/// order.
template <typename Body>
void forNonzeros(const SparseView &view, Body body) {
  auto visit = [&](auto batch) {
    while (batch.next())
      for (int64_t i = 0; i < batch.size(); ++i)
        body(int64_t(batch.coordinates()[0][i]),
             int64_t(batch.coordinates()[1][i]));
  };
  if (isNarrow(view))
    visit(NonzeroBatches<int32_t>(view, 0, view.nonzeros()));
  else
    visit(NonzeroBatches<int64_t>(view, 0, view.nonzeros()));
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TENSOR_NONZEROS_H
