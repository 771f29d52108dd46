//===- ChooseLayout.h - how a pattern is stored, by what uses it ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which astfe-select-kernels and Product choose the bits of a
// column, the classes of blocks and the column tile, as functions of numbers.
//
// Worked example: a product of f32 with 128 dense columns has rows of 512
// bytes. On a host its pattern may hold tiles of rows and windows of columns;
// with one column it may hold slices instead. A matrix of 11631 columns has
// 16-bit columns. All functions take O(1), those of a graph O(blocks).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_CHOOSELAYOUT_H
#define ASTFE_CORE_PACK_CHOOSELAYOUT_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// The dense operands of the products over a pattern.
struct DenseUse {
  /// Bytes of a row, of the narrowest product and of the widest; 0 for one
  /// without dense columns. Where a product does not say how many columns it
  /// has, a number is assumed.
  int64_t least = 0, most = 0;
  /// The widest of those that say so; 0: none does.
  int64_t known = 0;
  /// There are products, and none has dense columns.
  bool oneColumn = false;
};

/// The classes of hosts that pay, beside those of every target.
ClassSet classesThatPay(const DenseUse &use);

/// The classes that kernels of samples take, on every target.
inline ClassSet classesOfSamples() {
  return ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::Scattered);
}

/// Adds the classes that pay on a host, and sets the columns of windows and the
/// bytes that strips are chosen and rows are sorted for.
void chooseForHost(Layout &layout, const DenseUse &use);

/// Sets the layout for warps of a GPU whose kernels have that column tile (the
/// widest, where there are several), and keeps only classes that these have.
void chooseForGPU(Layout &layout, int64_t columnTile);

/// The fewest bits of 8, 16 and 32 that number `columns`; 0 columns: unknown.
uint8_t bitsForColumns(int64_t columns);

/// Columns between the first and the last of a group, at most; 0 without
/// blocks or where the space is not a plain matrix.
int64_t widestGroup(const Graph &graph);

/// Nonzeros per cell of the fullest block, boxes clipped to the shape.
double fullestBlock(const Graph &graph);

/// The column tile of a kernel: 0 without dense columns. A GPU's is at most
/// kWidestTile.
int64_t chooseColumnTile(std::optional<int64_t> columns, unsigned elementBytes,
                         bool gpu);

/// Lanes of a GPU's team: those that have all of so many columns, 1 for one, in
/// the widest loads; none where a warp would have fewer than four teams, or
/// where columns do not fill vectors.
std::optional<int64_t> teamLanes(int64_t columns, unsigned widestBytes);

/// Whether lanes of such a team load a nonzero each, for all of it: as many as
/// two rounds of the loads of dense rows.
constexpr bool stagesGPUTeam(int64_t lanes) {
  return lanes >= 2 * rules::kInFlight && lanes < rules::kWarpLanes;
}

/// Nonzeros that a team reads before it waits for what they stand for.
constexpr int64_t nonzerosOfGPUTeam(int64_t lanes) {
  return stagesGPUTeam(lanes) ? lanes : rules::kInFlight;
}

/// log2 of the teams of a GPU that share a row, each of so many lanes; at most
/// all of a warp. They are all where lanes load for themselves and the device
/// holds a warp for each row: what is idle in a warp costs instructions alone,
/// and a row that is longer than the others takes the fewest loads that wait
/// for each other. Else a team has as many nonzeros of a mean row as it reads
/// at a time, or half as many, as long as there are warps of the device that
/// would have no row: rows of twice the mean are then loaded at once. Where
/// lanes read for their team and the device does not hold all rows at a time,
/// it is twice as many: others then wait meanwhile, and instructions count.
unsigned teamsOfRow(int64_t rows, int64_t nonzeros, int64_t lanes,
                    int64_t warps);

/// Whether the kernels of a GPU with so many warps, whose teams have so many
/// lanes, take the rows of a matrix as fast as they are stored as any packing:
/// by fewer loads that wait for each other they do where the rows that are so
/// long that a whole warp has to take them are no more rounds of any warp than
/// a launch takes (kPieceRounds): packed rows have one before. O(rows).
bool suitsGPUView(const SparseView &view, int64_t lanes, int64_t warps);

/// Nonzeros of a part of a view's row that a GPU's warp has, at least, whose
/// teams have so many lanes each.
int64_t smallestGPUPiece(int64_t lanes);

/// Nonzeros from which on a row of a view with so many in all is cut between
/// several of a GPU's warps, whose teams have so many lanes: a few times what
/// each warp has of all.
int64_t longGPURow(int64_t nonzeros, int64_t lanes, int64_t warps);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_CHOOSELAYOUT_H
