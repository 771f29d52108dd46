//===- PackedLoops.h - walking the tables of a packed pattern -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host kernel over the tables of Core/Pack/Packed.h: scf.parallel over
// workers, their spans in order, one emitter a class. A worker writes the rows
// that it owns; the rows that it shares with others go to its own partial rows,
// which are combined afterwards, row by row in the order of the table.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_PACKEDLOOPS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_PACKEDLOOPS_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "RowEmitters.h"

namespace astfe::host {

/// Where segments put their sums: into the rows that the pattern says, or, as
/// each of these rounds what is added to it, into partial rows where they get
/// several (Core/Pack/SumTargets.h), from segments or from slots of slices.
enum class SumsOf { Pattern, Segments, Slots };

/// A table (enum AstfeTable) of that many bits, borrowed from the runtime.
mlir::Value packedTable(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                        int64_t which, unsigned bits);

/// The tables as buffers borrowed from the runtime.
struct PackedTables {
  mlir::Value workerSpan, spanSlot, spanSegment, spanColumn, spanClass,
      spanWidth, segmentRow, segmentTarget, segmentEnd, columns, combineRow,
      combineBegin, combinePartial, segmentFirst, workerGap, gapBegin, gapEnd;

  PackedTables(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
               unsigned columnBits, SumsOf sums = SumsOf::Pattern);
  /// i1: the runtime could make them all.
  mlir::Value areThere(mlir::ImplicitLocOpBuilder &b) const;
  /// Erases what was loaded for nobody, and the tables that nobody reads.
  void eraseUnread() const;
};

struct Span;

/// A segment of a span and its first slot.
struct SegmentStart {
  mlir::Value segment, slot;

  SegmentStart(mlir::Value segment, mlir::Value slot)
      : segment(segment), slot(slot) {}
  /// The first.
  SegmentStart(const Span &span);
};

/// One span, loaded.
struct Span {
  mlir::Value slot, slotsEnd, segment, segmentsEnd, column, kind, width;

  /// Behind the last segment.
  SegmentStart end() const;
  Span(mlir::ImplicitLocOpBuilder &b, const PackedTables &tables,
       mlir::Value span);
  /// Columns that the span's slots store (see Packed.h).
  StoredColumns stored(const PackedTables &tables, unsigned columnBits) const;
};

/// The row that a table stores as it is or, where several workers write it, as
/// its complement.
mlir::Value rowAt(mlir::ImplicitLocOpBuilder &b, mlir::Value stored);

/// What the emitters of spans share.
struct PackedKernel {
  ComputeBody &body;
  const PackedTables &tables;
  LaneShape shape;
  unsigned columnBits;
  mlir::Value partials; ///< buffer of private partial rows
  /// A worker's copies of windows of inputs, by input; null without.
  mlir::SmallVector<mlir::Value> windows = {};
  /// Rows that a class leaves go through the code for row segments.
  bool sharesRows = false;
  /// i1: no two segments of a worker write the same row; null where kernels add
  /// to what the output holds.
  mlir::Value allFirst = {};

  /// The output's row of segment `g`, shared or not.
  mlir::Value rowOf(mlir::Value g);
  /// The output's row that segment `g` writes, to be fetched; some row where it
  /// writes a private one, which stays in the cache.
  mlir::Value fetchedRow(mlir::Value g);
  /// i1: segment `g` is the first to write its row; null where kernels add to
  /// what the output holds.
  mlir::Value isFirst(mlir::Value g);
  /// Adds finished accumulators to the row that segment `g` writes, or stores
  /// them where it is the first to write it; `begins`, an i1, says whether they
  /// are the first of the segment's, if it is flushed several times. Rows of
  /// the output go past the caches where `streamed`, an i1, is set; null:
  /// never.
  void flush(mlir::Value g, const ColumnTile &tile, mlir::ValueRange sums,
             mlir::Value begins = {}, mlir::Value streamed = {});
};

/// Calls `emit` with begin and end (slots) of each segment of the span from
/// one on.
void forEachSegment(
    PackedKernel &kernel, const Span &span, const SegmentStart &from,
    llvm::function_ref<void(mlir::Value g, mlir::Value begin, mlir::Value end)>
        emit);

/// Calls `emit` with segment and slot of each slot of a span of slices, and
/// which of the segment's it is.
void forEachSliceSlot(PackedKernel &kernel, const Span &span,
                      llvm::function_ref<void(mlir::Value g, mlir::Value slot,
                                              mlir::Value number)>
                          emit);

/// Columns of a span up to whose last slot rows are fetched ahead, where the
/// kernel fetches any.
StoredColumns columnsOfSpan(PackedKernel &kernel, const Span &span);

/// Slots [begin, end) of segment `g`, a row.
void emitSegmentRow(PackedKernel &kernel, const StoredColumns &columns,
                    mlir::Value g, mlir::Value begin, mlir::Value end);

/// One flush for one nonzero: slot `n` of segment `g`, `begins` as flush takes
/// it.
void emitNonzero(PackedKernel &kernel, const StoredColumns &columns,
                 mlir::Value g, mlir::Value n, mlir::Value begins = {});

/// The rows of the span from one on.
void emitRows(PackedKernel &kernel, const Span &span, const SegmentStart &from);

/// Rows that share their columns (Tiles.cpp), which follow each other where
/// they are `implicit`.
void emitTile(PackedKernel &kernel, const Span &span, bool implicit);
/// The blocks of a tile with stored columns; returns where the rows begin that
/// fill none.
SegmentStart emitTileBlocks(PackedKernel &kernel, const Span &span);

/// How spans of a class run; each class has a file of its name that defines
/// its emitter.
struct ClassEmitter {
  /// Emits a span. Returns the rows that are left where the kernel shares the
  /// code for them, else the end.
  SegmentStart (*emit)(PackedKernel &, const Span &);
  /// Some may be left.
  bool leavesRows = false;
  /// Bytes that each worker needs for itself, in whole cache lines; null
  /// without.
  int64_t (*workerBytes)(PackedKernel &) = nullptr;
  /// Called once for each worker, before its spans: that memory is the bytes of
  /// `memory` from `begin` on.
  void (*openWorker)(PackedKernel &, mlir::Value memory,
                     mlir::Value begin) = nullptr;
};
#define ASTFE_CLASS(Name, name, Rest)                                          \
  extern const ClassEmitter k##Name##Emitter;
#include "ASTFE/Core/Kernel/Classes.def"
const ClassEmitter &emitterOf(core::SegmentClass kind);

/// Runs the emitter of the span's class, one of `classes`.
void emitByClass(PackedKernel &kernel, const Span &span,
                 core::ClassSet classes);

/// A size that the runtime knows of the pattern.
mlir::Value runtimeSize(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
                        mlir::Value handle);

/// A computation whose output is indexed by the nonzeros.
void emitPackedSamples(ComputeBody &body, mlir::Value handle, LaneShape shape);
/// A computation whose output is indexed by rows.
void emitPackedRows(ComputeBody &body, mlir::Value handle, LaneShape shape);
/// Any other: a serial loop over the slots.
void emitPackedScalars(ComputeBody &body, mlir::Value handle);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_PACKEDLOOPS_H
