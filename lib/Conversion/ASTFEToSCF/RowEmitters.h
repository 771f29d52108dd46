//===- RowEmitters.h - the reduction of one row ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes run over dense columns (ColumnTile) or nonzeros (OneColumn). A row run
// is a run of stored nonzeros of one row. It is reduced into registers and
// flushed once per column tile: no memory of the output is touched in between.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWEMITTERS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWEMITTERS_H

#include "ASTFE/Core/Target/Constants.h"
#include "ComputeBody.h"

namespace astfe::host {

/// Iteration dimensions of a two-dimensional pattern.
enum : unsigned { kNonzeroDim = 0, kRowDim = 1, kColumnDim = 2, kDenseDim = 3 };

/// Bytes of a cache line.
using core::rules::kLineBytes;

/// Columns of stored nonzeros: an array, relative to `base` where there is one;
/// without an array they are implicit, base + (n - first). Rows of the dense
/// operands are fetched ahead for nonzeros up to `last`, if there is one.
struct StoredColumns {
  mlir::Value array, base, first, last = {};

  mlir::Value at(mlir::ImplicitLocOpBuilder &b, mlir::Value n) const;
  /// The column that an element of the array says.
  mlir::Value fromStored(mlir::ImplicitLocOpBuilder &b,
                         mlir::Value element) const;
};

/// Nonzeros [begin, end) of one row.
struct RowRun {
  mlir::Value begin, end, row;
  StoredColumns columns;
  /// The pattern's dimensions that `row` and `columns` stand for: swapped where
  /// the caller's storage is by columns.
  unsigned rowDim = kRowDim, columnDim = kColumnDim;
  /// The row of the output to fetch before wide tiles are reduced; null: none.
  mlir::Value fetched = {};
  /// The row of what is reduced where that is not the output; null: `row`.
  mlir::Value into = {};
  /// Rows of the dense operands are in the first cache.
  bool isCached = false;
  /// Long rows have a loop of their own (reduceRow).
  bool hasLongLoop = false;
  /// i1: the run is its row's first; null: it is the whole row.
  mlir::Value begins = {};

  mlir::Value outputRow() const { return into ? into : row; }
};

/// One vector of a tile: lanes side by side, from `offset` columns behind the
/// tile's first on.
struct TileVector {
  int64_t offset = 0, lanes = 1;
  /// Of the lanes that are columns; null: all are.
  mlir::Value mask = {};
  /// How many those are, if the output is to be updated in pieces; else 0.
  int64_t columns = 0;
};

/// A tile of columns: vectors from column `k` on, of which the last may overlap
/// the one before it. Without dense columns `k` is null. Thirteen columns, in
/// vectors of eight: lanes 0 1 2 3 4 5 6 7 and 5 6 7 8 9 10 11 12. Both vectors
/// make the same sums for columns 5 to 7, and where both are combined with the
/// output before either is stored, it is no matter which is stored last.
struct ColumnTile {
  mlir::Value k;
  mlir::SmallVector<TileVector, 8> vectors = {TileVector()};
  /// Pairs of vectors have every second column each (AlternateLanes.cpp).
  bool alternates = false;

  int64_t count() const { return int64_t(vectors.size()); }
  /// The first column of a vector.
  mlir::Value start(mlir::ImplicitLocOpBuilder &b,
                    const TileVector &vector) const;
  /// The neutral element in every lane of each vector, `times` times.
  mlir::SmallVector<mlir::Value> identities(ComputeBody &body,
                                            int64_t times = 1) const;
};

/// Takes the finished accumulators of a tile, one a vector (one scalar without
/// dense columns). A row that is flushed piece by piece says which is its
/// first, an i1; null: there is one.
using Flush = llvm::function_ref<void(
    const ColumnTile &tile, mlir::ValueRange sums, mlir::Value begins)>;

/// Visits all columns, or a strip of them: full tiles in a loop, then one
/// partial tile. With a constant number of columns only what is needed is
/// emitted, and the last vector of a tile is as narrow as it may be and ends at
/// the last column, unless it would be a full one behind three. Strips begin
/// and end with full tiles, but for the last.
void forEachColumnTile(mlir::ImplicitLocOpBuilder &b, mlir::Value columns,
                       LaneShape shape,
                       llvm::function_ref<void(ColumnTile)> emit,
                       const Strip &strip = {});

/// The dense columns of a row computation, or its strip.
void forEachTileOfStrip(ComputeBody &body, LaneShape shape,
                        llvm::function_ref<void(ColumnTile)> emit);

/// Calls `emit` for each strip of `width` dense columns, which it sets.
void forEachStrip(ComputeBody &body, mlir::Value width,
                  llvm::function_ref<void()> emit);

//===----------------------------------------------------------------------===//
// Every second column in a vector (AlternateLanes.cpp)
//===----------------------------------------------------------------------===//

/// Vectors `v` and `v + 1` of the tile may have every second column each.
bool isAlternatePair(const ColumnTile &tile, int64_t v);
/// Sums of the tile's first two and other pairs take less time so.
bool suitsAlternates(ComputeBody &body, const ColumnTile &tile);
/// The input at columns 0, 2, ... and 1, 3, ... behind the point, `lanes` each.
std::pair<mlir::Value, mlir::Value>
loadAlternates(ComputeBody &body, unsigned input,
               llvm::ArrayRef<mlir::Value> point, int64_t lanes);
/// Sums of such pairs as the tile says.
void putInOrder(ComputeBody &body, const ColumnTile &tile,
                llvm::MutableArrayRef<mlir::Value> sums);

/// Input `i` is indexed by (stored column, dense column).
bool isDenseRow(ComputeBody &body, unsigned i, unsigned columnDim);

/// The extent of the last dense dimension, which indexes the output or is summed
/// over: the dense columns of a row computation. Null without dense dimensions.
mlir::Value denseColumns(ComputeBody &body);
/// The same, if the output has rows of them: null where they are summed into an
/// element of it.
mlir::Value outputColumns(ComputeBody &body);
/// Elements of the widest vector, at least 2.
int64_t widestLanes(ComputeBody &body, int64_t vectorBytes);
/// Lanes and tile for the element type of the output.
LaneShape laneShape(ComputeBody &body, int64_t vectorBytes);

/// From the least to the largest column of a few nonzeros, and that of
/// kFarSamples such runs of `count` nonzeros added up.
mlir::Value sampledRanges(mlir::ImplicitLocOpBuilder &b,
                          const StoredColumns &columns, mlir::Value count);
/// i1: rows of the dense operands that nonzeros next to each other ask for lie
/// so far apart that they are not in a core's own caches, by a sample of the
/// nonzeros, and that there are nonzeros for each row of the output; null where
/// rows are known to be less than a cache line.
mlir::Value denseRowsAreFar(ComputeBody &body, const StoredColumns &columns,
                            unsigned columnDim,
                            llvm::function_ref<mlir::Value()> countNonzeros);
/// i1: the rows of the dense operands that nonzeros ask for take more than half
/// of the last cache, which has everything else, too.
mlir::Value denseRowsOutgrowCaches(ComputeBody &body, unsigned columnDim);
/// Asks for the rows of the dense operands that come some nonzeros after n,
/// n + 1, ..., on this tile, where they are far.
void fetchAhead(ComputeBody &body, const RowRun &run, const ColumnTile &tile,
                mlir::Value n, int64_t count);
/// The same of whole rows, without tiles.
void fetchAhead(ComputeBody &body, const RowRun &run, mlir::Value n,
                int64_t count);
/// i1: the rows of the dense operands that rows of the pattern name take more
/// than a core's own caches; null where none are asked for.
mlir::Value sampledRowsAreFar(ComputeBody &body);
/// Asks for the rows of these that a row of the pattern names.
void fetchSampledRow(ComputeBody &body, mlir::Value row);

/// What nonzero `n` of the run, at `column`, contributes to each vector of the
/// tile.
mlir::SmallVector<mlir::Value>
tileContributions(ComputeBody &body, const RowRun &run, const ColumnTile &tile,
                  mlir::Value n, mlir::Value column);
/// Vectors of a tile from which on fetching the output's row pays.
using core::rules::kFetchedVectors;
/// Asks for `row` of the output on this tile while the sums are made: rows that
/// lie anywhere are not fetched ahead by the processor.
void fetchRow(ComputeBody &body, const ColumnTile &tile, mlir::Value row);

/// buffer[row, tile] (combiner)= sums: all are combined before any is stored.
/// Narrow vectors of a known number of columns have no mask: a load that
/// overlaps what an earlier store has under its mask would wait for the cache.
/// Where `first` is set, an i1, the buffer is not read: sums are stored, past
/// the caches where `streamed` is set (StreamedRows.h; null: never).
void updateRow(ComputeBody &body, mlir::Value buffer, mlir::Value row,
               const ColumnTile &tile, mlir::ValueRange sums,
               mlir::Value first = {}, mlir::Value streamed = {});
/// buffer[row, tile] = sums, likewise.
void storeRow(ComputeBody &body, mlir::Value buffer, mlir::Value row,
              const ColumnTile &tile, mlir::ValueRange sums,
              mlir::Value streamed = {});
/// The combiner's identity in all dense columns of a row, or in an element.
void clearRow(ComputeBody &body, mlir::Value buffer, mlir::Value row,
              LaneShape shape);

/// The accumulators of one tile of a row, one a vector.
mlir::SmallVector<mlir::Value> reduceRow(ComputeBody &body, const RowRun &run,
                                         const ColumnTile &tile);

/// Calls `emit` for pieces of [begin, end), which it gets, and with whether it
/// is the first, if the dense columns take more than one tile; else once, with
/// null. An empty range is one piece.
void forEachPiece(
    ComputeBody &body, LaneShape shape, mlir::Value begin, mlir::Value end,
    llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value)> emit);

/// The sum of all columns of a tile (RowTotals.cpp).
mlir::Value totalOf(ComputeBody &body, const ColumnTile &tile,
                    mlir::ValueRange sums);
/// Hands the sums of a row's tile on, of which `begins` says whether it is a
/// piece that begins (null: there is one): as they are, or as the sum of its
/// columns, where these are summed into an element (RowTotals.cpp).
void flushTile(ComputeBody &body, const ColumnTile &tile, mlir::ValueRange sums,
               mlir::Value begins, Flush flush);
/// Of a row whose columns are summed into an element, and which may have none:
/// the neutral element then.
void flushNoColumns(ComputeBody &body, Flush flush);

/// ColumnTile: lanes over dense columns.
void emitColumnTiles(ComputeBody &body, const RowRun &run, LaneShape shape,
                     Flush flush);
/// OneColumn: lanes over nonzeros.
void emitOneColumn(ComputeBody &body, const RowRun &run, LaneShape shape,
                   Flush flush);
/// SampledRow: an element of the output for each nonzero.
void emitSampledRow(ComputeBody &body, const RowRun &run, LaneShape shape);
/// The combiner over lanes: halves until `lanes` are left.
mlir::Value foldLanes(ComputeBody &body, mlir::Value sums, int64_t lanes);
/// begin + the largest multiple of `lanes` in end - begin.
mlir::Value endOfWholes(ComputeBody &body, mlir::Value begin, mlir::Value end,
                        int64_t lanes);
/// An input at nonzeros n, n + 1, ... of a run, of which `point` is the first;
/// a scalar where it is the same for all.
mlir::Value slotLanes(ComputeBody &body, const RowRun &run, unsigned input,
                      mlir::ArrayRef<mlir::Value> point, mlir::Value n,
                      int64_t lanes);
/// The length of a dense dimension, from the first operand that it indexes
/// (compute_c6: there is one).
mlir::Value denseExtent(ComputeBody &body, unsigned dim);
/// Whichever of the first two fits.
void emitRow(ComputeBody &body, const RowRun &run, LaneShape shape,
             Flush flush);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWEMITTERS_H
