//===- Kernel.h - classes, layout, and the grammar of fused kernels -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fused kernel is a sentence of a small context-free grammar; its terminals
// are emitters, one per class of stored segment:
//
//   Kernel   -> Prologue Groups Epilogue       Segment  -> DenseTile
//   Groups   -> Group | Group Groups                     | RowSegments
//   Group    -> LoadShared Segments StoreOutput          | Scattered
//   Segments -> Segment | Segment Segments               | RowSlices
//                                                        | RowWindows
//                                                        | RowTiles
//                                                        | RowPairs
//                                              DenseTile -> MmaTile | FmaTile
//                                              RowSegments -> ColumnTile
//                                                           | OneColumn
//
// A derivation is the list of productions that are compiled in. A layout says
// how a pattern is stored; it is the whole contract between pack and kernel:
// pack may produce any permitted class, so a kernel has an emitter for each. A
// kernel for patterns that are known to hold fewer classes lists only those,
// and refuses others when it is called.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_KERNEL_KERNEL_H
#define ASTFE_CORE_KERNEL_KERNEL_H

#include "ASTFE/Core/Support/Status.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace astfe::core {

/// How a run of nonzeros is stored and executed. Values are bit positions.
enum class SegmentClass : uint8_t {
  /// Rows with explicit columns; one accumulator and one flush per row.
  RowSegments = 0,
  /// One row id per nonzero; one flush per nonzero.
  Scattered = 1,
  /// Consecutive columns for every row of a run: columns are implicit.
  DenseTile = 2,
  /// Rows of about the same length, kSliceRows at a time, a lane each: their
  /// nonzeros are interleaved. For hosts and products with one column, whose
  /// rows are too short to fill the lanes of a vector.
  RowSlices = 3,
  /// The rows of a panel, cut at windows of columns: a window of the dense
  /// operand stays in the first cache while all rows of the panel use
  /// it. For hosts and many dense columns, where rows have many nonzeros in a
  /// window.
  RowWindows = 4,
  /// Rows that all have the same columns, wherever those are: what a dense tile
  /// becomes when columns are permuted. For hosts and dense columns: each row
  /// of the dense operand is read once for several rows.
  RowTiles = 5,
  /// Rows of a window in pairs: the nonzeros whose columns both rows have come
  /// first in each, so that a row of the dense operand is read once for both.
  /// Beside RowWindows, whose windows they share.
  RowPairs = 6,
};
constexpr unsigned kSegmentClasses = 7;

/// Spans of the class are windows of columns.
constexpr bool isWindow(SegmentClass kind) {
  return kind == SegmentClass::RowWindows || kind == SegmentClass::RowPairs;
}
/// Spans of the class have a number of columns.
constexpr bool hasWidth(SegmentClass kind) {
  return kind == SegmentClass::DenseTile || kind == SegmentClass::RowTiles ||
         isWindow(kind);
}

/// Rows of a slice: the f32 lanes of the widest vectors.
constexpr int64_t kSliceRows = 16;
/// Segments of a pair of rows: what they share, the rest of the first, the
/// second.
constexpr int64_t kPairSegments = 3;
/// Columns of a window for column tiles of 256 bytes or more, and for narrower
/// ones, at most: three quarters of a first cache of 32 KB.
constexpr int64_t kWindowColumns = 96, kWidestWindow = 192;
/// Bytes of a row of the dense operand from which on windows of it are kept in
/// cache, and up to which windows are the widest.
constexpr int64_t kWindowedBytes = 128;
/// Bytes of a row in a panel of the dense operands: a column tile of eight of
/// the widest vectors.
constexpr int64_t kPanelBytes = 512;

/// "row_segments", "scattered", "dense_tile", "row_slices",
/// "row_windows", "row_tiles", "row_pairs".
std::string_view className(SegmentClass kind);
std::optional<SegmentClass> parseClass(std::string_view name);

/// A set of classes.
struct ClassSet {
  uint8_t bits = 0;
  static ClassSet all() { return {(1u << kSegmentClasses) - 1}; }
  /// Those that every target and every computation has an emitter for.
  static ClassSet general() {
    return all()
        .without(SegmentClass::RowSlices)
        .without(SegmentClass::RowWindows)
        .without(SegmentClass::RowTiles)
        .without(SegmentClass::RowPairs);
  }
  static ClassSet of(SegmentClass c) { return {uint8_t(1u << unsigned(c))}; }
  bool contains(SegmentClass c) const { return bits >> unsigned(c) & 1; }
  ClassSet with(SegmentClass c) const {
    return {uint8_t(bits | 1u << unsigned(c))};
  }
  ClassSet without(SegmentClass c) const {
    return {uint8_t(bits & ~(1u << unsigned(c)))};
  }
  bool contains(ClassSet o) const { return (o.bits & ~bits) == 0; }
  ClassSet operator&(ClassSet o) const { return {uint8_t(bits & o.bits)}; }
  bool operator==(ClassSet o) const { return bits == o.bits; }
};
/// "row_segments, scattered".
std::string classNames(ClassSet classes);

enum class Storage : uint8_t { View = 0, Packed = 1 };

struct Layout {
  Storage storage = Storage::Packed;
  /// Bits of a stored column: 8 and 16 are relative to the span's first column
  /// (a span never covers more), 32 is the column itself.
  uint8_t columnBits = 32;
  /// A packed pattern may have any nonzeros: RowSegments or Scattered, which
  /// store all, are among them, and Scattered beside RowSlices and RowWindows
  /// beside RowPairs, which they store pieces of.
  ClassSet classes = ClassSet::general();
  /// The same bits for the same graph and workers: no atomics.
  bool deterministic = false;
  /// Dense operands hold no Inf or NaN, so that tiles may be zero-filled.
  bool assumeFinite = false;

  Status check() const;
  bool operator==(const Layout &o) const {
    return storage == o.storage && columnBits == o.columnBits &&
           classes == o.classes && deterministic == o.deterministic &&
           assumeFinite == o.assumeFinite;
  }
};

/// The productions of a compiled kernel, and the column tile that it is
/// specialised on (0: one column, lanes over nonzeros).
struct Derivation {
  std::vector<std::string> productions;
  int64_t columnTile = 0;
};

/// The derivation for a layout: one Segment production per permitted class and
/// ColumnTile or OneColumn. `columnTile` 0 derives OneColumn.
Derivation derive(const Layout &layout, int64_t columnTile);
/// The classes that a derivation has an emitter for.
ClassSet classesOf(const Derivation &derivation);
/// Every production belongs to the grammar and what it needs is there.
Status check(const Derivation &derivation);

} // namespace astfe::core

#endif // ASTFE_CORE_KERNEL_KERNEL_H
