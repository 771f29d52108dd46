//===- SparseView.cpp - coordinates of a sparse tensor, not owned ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/SparseView.h"
#include "Tensor/Nonzeros.h"
#include <algorithm>

using namespace astfe::core;

int64_t astfe::core::longestRun(const IndexArray &positions) {
  int64_t longest = 0;
  for (int64_t i = 1; i < positions.size(); ++i)
    longest = std::max(longest, positions[i] - positions[i - 1]);
  return longest;
}

std::string_view astfe::core::formatName(SparseFormat format) {
  static constexpr std::string_view kNames[] = {
#define ASTFE_FORMAT(Name, name, Levels) name,
#include "ASTFE/Core/Tensor/Formats.def"
  };
  return kNames[size_t(format)];
}

static Error wrongCount(const std::string &what, int64_t expected,
                        int64_t got) {
  return Error{"expected " + std::to_string(expected) + " " + what +
               " but got " + std::to_string(got)};
}

static Status checkCoo(const SparseView &view) {
  if (view.coordinates.size() != view.rank())
    return wrongCount("coordinate arrays", view.rank(),
                      int64_t(view.coordinates.size()));
  for (unsigned k = 1; k < view.rank(); ++k)
    if (view.coordinates[k].size() != view.nonzeros())
      return wrongCount("coordinates of mode " + std::to_string(k),
                        view.nonzeros(), view.coordinates[k].size());
  return Success{};
}

static Status checkCompressed(const SparseView &view) {
  if (view.rank() != 2)
    return wrongCount("modes in a compressed matrix", 2, view.rank());
  if (view.coordinates.size() != 1)
    return wrongCount("coordinate array", 1, int64_t(view.coordinates.size()));
  int64_t outer = view.shape[view.format == SparseFormat::Csr ? 0 : 1];
  const IndexArray &positions = view.positions;
  if (positions.size() != outer + 1)
    return wrongCount("positions", outer + 1, positions.size());
  if (positions[0] != 0)
    return Error{"expected positions to begin with 0 but got " +
                 std::to_string(positions[0])};
  for (int64_t i = 0; i < outer; ++i)
    if (positions[i + 1] < positions[i])
      return Error{"expected ascending positions but got " +
                   std::to_string(positions[i + 1]) + " after " +
                   std::to_string(positions[i]) + " at position " +
                   std::to_string(i + 1)};
  if (positions[outer] != view.nonzeros())
    return Error{"expected positions to end with the " +
                 std::to_string(view.nonzeros()) + " nonzeros but got " +
                 std::to_string(positions[outer])};
  return Success{};
}

/// The first of `array` that is not in 0..extent-1, or its size.
template <typename T>
static int64_t firstOutside(const T *array, int64_t size, int64_t extent) {
  // Without an early exit the usual case, all inside, is a vector loop; so are
  // minimum and maximum in the array's own width.
  for (int64_t begin = 0; begin < size; begin += kBatch) {
    int64_t end = std::min(begin + kBatch, size);
    T smallest = 0, largest = -1;
    for (int64_t i = begin; i < end; ++i) {
      smallest = std::min(smallest, array[i]);
      largest = std::max(largest, array[i]);
    }
    bool outside = smallest < 0 || int64_t(largest) >= extent;
    for (int64_t i = begin; outside && i < end; ++i)
      if (array[i] < 0 || int64_t(array[i]) >= extent)
        return i;
  }
  return size;
}

static Status checkRange(const IndexArray &array, unsigned mode,
                         int64_t extent) {
  int64_t i = array.is64() ? firstOutside(array.as64(), array.size(), extent)
                           : firstOutside(array.as32(), array.size(), extent);
  if (i == array.size())
    return Success{};
  return Error{"nonzero " + std::to_string(i) +
               ": expected a coordinate of mode " + std::to_string(mode) +
               " below " + std::to_string(extent) + " but got " +
               std::to_string(array[i])};
}

static Status checkLevels(const LevelView &levels) {
  if (Status s = levels.checkPositions(); !s)
    return s;
  if (!levels.isGapless())
    return Error{"expected loose levels that skip no position but got a gap"};
  return Success{};
}

Status SparseView::checkPositions() const {
  if (levels)
    return checkLevels(*levels);
  if (Result<Order> order = Order::get(OrderKind::Rows, shape); !order)
    return order.error();
  return format == SparseFormat::Coo ? checkCoo(*this) : checkCompressed(*this);
}

Status SparseView::check() const {
  if (Status s = checkPositions(); !s)
    return s;
  if (levels)
    return levels->check();
  bool coo = format == SparseFormat::Coo;
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    unsigned mode = coo ? i : format == SparseFormat::Csr ? 1 : 0;
    if (Status s = checkRange(coordinates[i], mode, shape[mode]); !s)
      return s;
  }
  return Success{};
}

/// None where the array has gaps or another width. Unsigned ones of 32 bits are
/// taken as signed, which `narrow` says to be the same.
static std::optional<IndexArray> asIndices(const LevelArray &array,
                                           bool narrow) {
  if (const int64_t *wide = array.as64())
    return IndexArray(wide, array.size());
  if (const int32_t *data = narrow ? array.as32() : nullptr)
    return IndexArray(data, array.size());
  return std::nullopt;
}

static bool isCompressedMatrix(const LevelView &view) {
  return view.rank() == 2 && view.levels.size() == 2 &&
         view.levels[0].kind == LevelKind::Dense &&
         view.levels[1].kind == LevelKind::Compressed &&
         view.levels[0].mode + view.levels[1].mode == 1;
}

/// Compressed once, one level for each mode.
static bool isCoo(const LevelView &view) {
  if (view.levels.size() != view.rank() || view.levels.empty() ||
      view.levels[0].kind != LevelKind::Compressed)
    return false;
  std::vector<bool> seen(view.rank(), false);
  for (const TensorLevel &level : view.levels) {
    if (&level != &view.levels[0] && level.kind != LevelKind::Singleton)
      return false;
    if (level.mode >= view.rank() || seen[level.mode])
      return false;
    seen[level.mode] = true;
  }
  const LevelArray &positions = view.levels[0].positions;
  return positions.size() == 2 && positions[0] == 0 &&
         positions[1] == view.levels[0].coordinates.size();
}

SparseView SparseView::of(LevelView view) {
  bool sound = bool(view.checkPositions());
  bool narrow = view.entries() <= INT32_MAX;
  for (int64_t extent : view.shape)
    narrow &= extent <= INT32_MAX;
  if (sound && isCompressedMatrix(view)) {
    auto positions = asIndices(view.levels[1].positions, narrow);
    auto coordinates = asIndices(view.levels[1].coordinates, narrow);
    if (positions && coordinates)
      return {view.levels[0].mode == 0 ? SparseFormat::Csr : SparseFormat::Csc,
              view.shape,
              *positions,
              {*coordinates},
              {}};
  }
  if (sound && isCoo(view)) {
    std::vector<IndexArray> coordinates(view.rank());
    unsigned fit = 0;
    for (const TensorLevel &level : view.levels)
      if (auto array = asIndices(level.coordinates, narrow)) {
        coordinates[level.mode] = *array;
        ++fit;
      }
    if (fit == view.rank())
      return coo(view.shape, std::move(coordinates));
  }
  std::vector<int64_t> shape = view.shape;
  return {SparseFormat::Levels,
          std::move(shape),
          {},
          {},
          std::make_shared<const LevelView>(std::move(view))};
}
