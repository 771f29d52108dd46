//===- ABILevels.cpp - tensors as lists of levels -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"

using namespace astfe;
using namespace astfe::rt;

/// The entries of a level at an address.
static core::Result<core::LevelArray> levelArray(int64_t address, int64_t count,
                                                 int64_t stride, int64_t bits) {
  if (count < 0 || stride < 1)
    return core::Error{
        "expected an array of 0 or more entries at strides of 1 or more but "
        "got " +
        std::to_string(count) + " and " + std::to_string(stride)};
  return core::levelArray(reinterpret_cast<const void *>(address), count,
                          stride, bits);
}

static core::Result<core::TensorLevel> tensorLevel(const int64_t *fields) {
  const int64_t kind = fields[ASTFE_LEVEL_KIND];
  if (kind < 0 || kind >= core::kLevelKinds)
    return core::Error{"expected a kind from 0 to " +
                       std::to_string(core::kLevelKinds - 1) + " but got " +
                       std::to_string(kind)};
  const int64_t mode = fields[ASTFE_LEVEL_MODE];
  if (mode < 0 || mode >= int64_t(core::kMaxRank))
    return core::Error{"expected a mode from 0 to " +
                       std::to_string(core::kMaxRank - 1) + " but got " +
                       std::to_string(mode)};
  core::TensorLevel level;
  level.kind = core::LevelKind(kind);
  level.mode = unsigned(mode);
  level.size = fields[ASTFE_LEVEL_SIZE];
  level.scale = fields[ASTFE_LEVEL_SCALE];
  level.stored = fields[ASTFE_LEVEL_STORED];
  // Nothing that runs on it relies on either.
  level.ordered = level.unique = false;
  if (kind == ASTFE_COMPRESSED || kind == ASTFE_LOOSE) {
    auto positions = levelArray(fields[ASTFE_LEVEL_POSITIONS],
                                fields[ASTFE_LEVEL_POSITION_COUNT], 1,
                                fields[ASTFE_LEVEL_POSITION_BITS]);
    if (!positions)
      return positions.error();
    level.positions = *positions;
  }
  if (kind != ASTFE_DENSE) {
    auto coordinates = levelArray(fields[ASTFE_LEVEL_COORDINATES],
                                  fields[ASTFE_LEVEL_COORDINATE_COUNT],
                                  fields[ASTFE_LEVEL_COORDINATE_STRIDE],
                                  fields[ASTFE_LEVEL_COORDINATE_BITS]);
    if (!coordinates)
      return coordinates.error();
    level.coordinates = *coordinates;
  }
  return level;
}

core::Result<core::SparseView> rt::tensorView(const AstfeMemRef1D *numbers,
                                              const AstfeMemRef1D *extents) {
  if (numbers->size % ASTFE_LEVEL_FIELDS != 0)
    return core::Error{"expected " + std::to_string(ASTFE_LEVEL_FIELDS) +
                       " numbers for each level but got " +
                       std::to_string(numbers->size)};
  core::LevelView view;
  const auto *shape = elements<const int64_t>(extents);
  view.shape.assign(shape, shape + extents->size);
  const auto *fields = elements<const int64_t>(numbers);
  for (int64_t l = 0; l < numbers->size / ASTFE_LEVEL_FIELDS; ++l) {
    auto level = tensorLevel(fields + l * ASTFE_LEVEL_FIELDS);
    if (!level)
      return core::Error{"level " + std::to_string(l) + ": " + level.message()};
    view.levels.push_back(*level);
  }
  if (core::Status status = view.checkPositions(); !status)
    return status.error();
  return core::SparseView::of(std::move(view));
}

extern "C" void *_mlir_ciface_astfe_rt_reordered_profile_levels(
    AstfeMemRef1D *levels, AstfeMemRef1D *extents, int64_t order, int64_t panel,
    int64_t min, int64_t reorder, int64_t hubs) {
  return makeHandle<ProfileHandle>([&] {
    return countArranged(tensorView(levels, extents),
                         arrangementOf(order, panel, reorder, hubs), min);
  });
}

extern "C" void *_mlir_ciface_astfe_rt_profile_levels(AstfeMemRef1D *levels,
                                                      AstfeMemRef1D *extents,
                                                      int64_t order,
                                                      int64_t panel,
                                                      int64_t min) {
  return _mlir_ciface_astfe_rt_reordered_profile_levels(
      levels, extents, order, panel, min, int64_t(core::ReorderKind::None),
      core::kNoHubs);
}
