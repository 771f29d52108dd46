//===- LevelView.cpp - a sparse tensor as a list of levels, not owned -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/LevelView.h"
#include "Support/LargestExtent.h"
#include <algorithm>

using namespace astfe::core;

std::string_view astfe::core::levelName(LevelKind kind) {
  static constexpr std::string_view kNames[] = {
#define ASTFE_LEVEL(Name, name, Stores) name,
#include "ASTFE/Core/Tensor/Levels.def"
  };
  return kNames[size_t(kind)];
}

/// Whether the entries end within the addresses that there are.
static bool fitsAddresses(int64_t size, int64_t stride, int64_t bits) {
  int64_t bytes = 0;
  return size == 0 || (!__builtin_mul_overflow(size - 1, stride, &bytes) &&
                       !__builtin_mul_overflow(bytes, bits / 8, &bytes));
}

Result<LevelArray> astfe::core::levelArray(const void *data, int64_t size,
                                           int64_t stride, int64_t bits) {
  if (!fitsAddresses(size, stride, bits))
    return Error{"expected an array within the address space but got " +
                 std::to_string(size) + " entries of stride " +
                 std::to_string(stride)};
  switch (bits) {
  case 8:
    return LevelArray(static_cast<const uint8_t *>(data), size, stride);
  case 16:
    return LevelArray(static_cast<const uint16_t *>(data), size, stride);
  case 32:
    return LevelArray(static_cast<const uint32_t *>(data), size, stride);
  case 64:
    return LevelArray(static_cast<const int64_t *>(data), size, stride);
  default:
    return Error{"expected integers of 8, 16, 32 or 64 bits but got " +
                 std::to_string(bits)};
  }
}

const int32_t *LevelArray::as32() const {
  const bool fits = width == Width::I32 || width == Width::U32;
  return fits && step == 1 ? static_cast<const int32_t *>(first) : nullptr;
}

const int64_t *LevelArray::as64() const {
  return width == Width::I64 && step == 1 ? static_cast<const int64_t *>(first)
                                          : nullptr;
}

int64_t LevelView::positionsOf(size_t level) const {
  const TensorLevel &last = levels[level];
  switch (last.kind) {
  case LevelKind::Compressed:
  case LevelKind::Loose:
  case LevelKind::Singleton:
    return last.coordinates.size();
  case LevelKind::Dense:
  case LevelKind::NOutOfM:
    break;
  }
  const int64_t parents = level == 0 ? 1 : positionsOf(level - 1);
  const int64_t each = last.kind == LevelKind::Dense ? last.size : last.stored;
  return int64_t(std::min(__int128(parents) * each, __int128(kLargestExtent)));
}

bool LevelView::isGapless() const {
  for (const TensorLevel &level : levels) {
    if (level.kind != LevelKind::Loose)
      continue;
    int64_t end = 0;
    for (int64_t p = 0; p + 1 < level.positions.size(); p += 2) {
      if (level.positions[p] != end)
        return false;
      end = level.positions[p + 1];
    }
    if (end != level.coordinates.size())
      return false;
  }
  return true;
}

static TensorLevel dense(unsigned mode, int64_t size, int64_t scale = 1) {
  TensorLevel level;
  level.mode = mode;
  level.size = size;
  level.scale = scale;
  return level;
}

static TensorLevel compressed(unsigned mode, int64_t size, LevelArray positions,
                              LevelArray coordinates, int64_t scale = 1) {
  TensorLevel level = dense(mode, size, scale);
  level.kind = LevelKind::Compressed;
  level.positions = positions;
  level.coordinates = coordinates;
  // As SparseView, readers of these formats rely on neither.
  level.ordered = level.unique = false;
  return level;
}

LevelView LevelView::csr(int64_t rows, int64_t columns, LevelArray positions,
                         LevelArray coordinates) {
  return {{rows, columns},
          {dense(0, rows), compressed(1, columns, positions, coordinates)}};
}

LevelView LevelView::csc(int64_t rows, int64_t columns, LevelArray positions,
                         LevelArray coordinates) {
  return {{rows, columns},
          {dense(1, columns), compressed(0, rows, positions, coordinates)}};
}

LevelView LevelView::coo(std::vector<int64_t> shape, LevelArray positions,
                         ArrayRef<LevelArray> coordinates) {
  LevelView view{std::move(shape), {}};
  for (unsigned k = 0; k < coordinates.size(); ++k) {
    const int64_t size = k < view.rank() ? view.shape[k] : 0;
    view.levels.push_back(
        compressed(k, size, k == 0 ? positions : LevelArray(), coordinates[k]));
    if (k > 0)
      view.levels.back().kind = LevelKind::Singleton;
  }
  return view;
}

LevelView LevelView::dcsr(int64_t rows, int64_t columns,
                          ArrayRef<LevelArray> positions,
                          ArrayRef<LevelArray> coordinates) {
  return csf({rows, columns}, {0, 1}, positions, coordinates);
}

LevelView LevelView::csf(std::vector<int64_t> shape, ArrayRef<unsigned> modes,
                         ArrayRef<LevelArray> positions,
                         ArrayRef<LevelArray> coordinates) {
  LevelView view{std::move(shape), {}};
  for (size_t l = 0; l < modes.size(); ++l)
    view.levels.push_back(
        compressed(modes[l], modes[l] < view.rank() ? view.shape[modes[l]] : 0,
                   positions[l], coordinates[l]));
  return view;
}

LevelView LevelView::bsr(int64_t rows, int64_t columns, int64_t blockRows,
                         int64_t blockColumns, LevelArray positions,
                         LevelArray coordinates) {
  return {{rows, columns},
          {dense(0, rows / std::max<int64_t>(blockRows, 1), blockRows),
           compressed(1, columns / std::max<int64_t>(blockColumns, 1),
                      positions, coordinates, blockColumns),
           dense(0, blockRows), dense(1, blockColumns)}};
}
