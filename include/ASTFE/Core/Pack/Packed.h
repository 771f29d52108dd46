//===- Packed.h - a pattern regrouped for execution -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed pattern: what kernels stream. Nonzeros get *slots*: groups in
// graph order, row-major inside a group (inside each window of it, where 8 or
// 16-bit columns make it fall into several). Of a GPU, rows that workers of one
// multiprocessor have change places among them, also across groups. A group
// becomes one or more *spans*: a span has one class, one worker and one window of
// columns, so a kernel never tests for a cut. Workers are offsets into the spans.
//
//   worker w  : spans     [workerSpan[w], workerSpan[w+1])
//   span s    : slots     [spanSlot[s], spanSlot[s+1])
//               segments  [spanSegment[s], spanSegment[s+1])
//               class spanClass[s], first column spanColumn[s]
//   segment g : row segmentRow[g]; slots from segmentEnd[g-1] (0 for the first
//               of its span) to segmentEnd[g], relative to spanSlot[s]
//   slot k    : column: columns[k] (+ spanColumn[s] for 8 and 16 bits); in a
//               DenseTile implicit: spanColumn[s] + (k - segment's first slot)
//               (columns[k] says the same)
//
// RowSlices spans have kSliceRows segments a slice, longest first; a slice's
// slots are interleaved: the first nonzeros of its rows, the second ones of
// those that have two, and so on. Its rows may come from several groups, of
// which the graph's order has one after the other.
//
// RowWindows spans have spanWidth[s] columns (at most kWidestWindow) from
// spanColumn[s] on, and a row of a panel may have a segment in each of several
// spans.
//
// All segments of a RowTiles span have spanWidth[s] slots, and the same columns
// in the same order: a kernel need only read those of the first.
//
// Scattered spans have one segment per nonzero. All segments of a DenseTile
// have spanWidth[s] slots. Slots that hold no nonzero (zero-filled tiles) have
// none in the slot map and value 0.
//
// Rows written by more than one worker are *shared*. segmentRow[g] is ~row for
// them (negative: use an atomic), and segmentTarget[g] is ~p with p a row of
// the private partials, in which case the rows are combined afterwards: for
// every i, output row combineRow[i] receives the partial rows
// combinePartial[combineBegin[i] .. combineBegin[i+1]) in that order. For
// unshared rows segmentTarget[g] == segmentRow[g] == row.
//
// A kernel that overwrites its output (C = A B, not C += A B) reads nothing of
// it before it has written it. segmentFirst[g] is 1 where segment g is the
// first of its worker to write its target, and stores; the others, which add to
// what it stored, have 0. The table is empty where each segment is the first.
// Rows that no segment writes are *gaps*: worker w stores the identity in the
// rows [gapBegin[i], gapEnd[i]) of its gaps, i in [workerGap[w],
// workerGap[w+1]), before it writes any of these. Each worker's gaps ascend.
// Where rows are narrow a gap may have rows that are written, all by the worker
// that has the gap, or shared ones. Other gaps are shared out so that each
// worker has about as many rows of gaps as others. Where they may have none,
// RowSegments spans of a host are short: gaps are cleared between them, and a
// cache has the lines that both write.
//
// Kernels for many dense columns take them strip by strip if stripBytes is not
// 0: every worker goes through its spans once for each strip of so many bytes
// of a row (rounded up to whole tiles of the kernel). No result depends on it.
//
// Worked example: 3x4, nonzeros (0,1) (0,3) (2,0), one group, one worker:
//   workerSpan 0 1   spanSlot 0 3   spanSegment 0 2   segmentRow 0 2
//   segmentEnd 2 3   columns 1 3 0   slots 0 1 2
//   workerGap 0 1   gapBegin 1   gapEnd 2   no segmentFirst
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_PACKED_H
#define ASTFE_CORE_PACK_PACKED_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Support/Table.h"
#include "ASTFE/Core/Target/Constants.h"

namespace astfe::core {

/// Strips are made of vectors.
constexpr int64_t kStripUnit = rules::kLineBytes;
using rules::kWidestStrip;

struct Packed {
  std::vector<int64_t> shape; ///< rows, columns
  Layout layout;
  int64_t nonzeros = 0; ///< stored entries of the tensor
  int64_t slots = 0;    ///< >= nonzeros
  int64_t groups = 0;   ///< of the graph
  uint64_t fingerprint = 0;
  /// Of a row of the dense operands, worked on at a time (Strips.h): a multiple
  /// of kStripUnit; 0: all.
  int64_t stripBytes = 0;
  /// Tiles of columns that a GPU works on at the same time; 0: all.
  int64_t tilesTogether = 0;

  std::vector<int64_t> workerSpan;                      ///< workers + 1
  std::vector<int64_t> spanSlot, spanSegment;           ///< spans + 1
  std::vector<int64_t> spanColumn;                      ///< spans
  std::vector<int32_t> spanClass, spanWidth;            ///< spans
  Table<int32_t> segmentRow, segmentTarget, segmentEnd; ///< segments
  /// Exactly one of these holds `slots` entries, by layout.columnBits.
  Table<uint8_t> columns8;
  Table<uint16_t> columns16;
  Table<int32_t> columns32;
  std::vector<int32_t> combineRow;     ///< shared rows, ascending
  std::vector<int64_t> combineBegin;   ///< shared rows + 1
  std::vector<int32_t> combinePartial; ///< partial rows, by shared row
  Table<uint8_t> segmentFirst;         ///< segments, or none: all are first
  std::vector<int64_t> workerGap;      ///< workers + 1
  Table<int32_t> gapBegin, gapEnd;     ///< gaps
  /// slotOf[n] is the slot of nonzero n of the source: injective, so unpack is
  /// exact with duplicates and explicit zeros. None where slots are in order:
  /// slot n is that of nonzero n.
  Table<int64_t> slotOf;

  int64_t workers() const { return int64_t(workerSpan.size()) - 1; }
  int64_t spans() const { return int64_t(spanClass.size()); }
  int64_t segments() const { return int64_t(segmentRow.size()); }
  int64_t gaps() const { return int64_t(gapBegin.size()); }
  bool isInOrder() const { return slotOf.empty(); }
  /// Of a nonzero of the source.
  int64_t slotOfNonzero(size_t n) const {
    return isInOrder() ? int64_t(n) : slotOf[n];
  }
  int64_t partialRows() const { return int64_t(combinePartial.size()); }
  /// What is stored as the column of a slot of a span.
  int64_t columnAt(size_t span, size_t slot) const;
  /// Those that occur, of the layout's. O(spans).
  ClassSet classes() const;
  /// The first slot of each worker, and the number of slots: workers + 1.
  std::vector<int64_t> workerOffsets() const;
  /// Everything the comment above promises. O(slots).
  Status check() const;
};

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_PACKED_H
