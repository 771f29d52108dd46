//===- Kernel.h - classes of blocks, layouts and kernels ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel goes through the spans of a packed pattern (Pack/Packed.h) and runs
// for each the emitter of its class:
//
//   for each worker
//     for each span of the worker
//       RowSegments | Scattered | DenseTile | ...   one of Classes.def
//   combine the rows that workers share
//
// A layout says how a pattern is stored, and for what; it is the whole contract
// between pack and kernel: pack reads nothing else but how many workers and
// threads there are. Pack may produce any permitted class, so a kernel has an
// emitter for each. A kernel for patterns that are known to hold fewer classes
// lists only those, and refuses others when it is called.
//
// Worked example: a layout that permits row_segments and dense_tile, and a
// kernel that lists row_segments alone. It runs every pattern in which pack
// found no tile, and has a third of the code.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_KERNEL_KERNEL_H
#define ASTFE_CORE_KERNEL_KERNEL_H

#include "ASTFE/Core/Support/NameList.h"
#include "ASTFE/Core/Support/Status.h"
#include "ASTFE/Core/Target/Constants.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace astfe::core {

/// How a run of nonzeros is stored and executed. Values are bit positions.
enum class SegmentClass : uint8_t {
#define ASTFE_CLASS(Name, name, Rest) Name,
#include "ASTFE/Core/Kernel/Classes.def"
};
#define ASTFE_CLASS(Name, name, Rest) +1
constexpr unsigned kSegmentClasses = 0
#include "ASTFE/Core/Kernel/Classes.def"
    ;

/// What slices, windows, tiles and strips are made of (Target/Constants.def).
using rules::kSliceRows, rules::kWindowColumns, rules::kWidestWindow,
    rules::kWindowedBytes, rules::kWidestTile, rules::kStripBytes;

/// As in Classes.def: "row_segments".
std::string_view className(SegmentClass kind);
std::optional<SegmentClass> parseClass(std::string_view name);

/// A set of classes.
struct ClassSet {
  uint32_t bits = 0;
  static_assert(kSegmentClasses <= 32);

  static ClassSet all() { return {(uint32_t(1) << kSegmentClasses) - 1}; }
  /// Those that every target and every computation has an emitter for.
  static ClassSet general();
  static ClassSet of(SegmentClass c) { return {uint32_t(1) << unsigned(c)}; }
  bool contains(SegmentClass c) const { return bits >> unsigned(c) & 1; }
  ClassSet with(SegmentClass c) const { return {bits | of(c).bits}; }
  ClassSet without(SegmentClass c) const { return {bits & ~of(c).bits}; }
  bool contains(ClassSet o) const { return (o.bits & ~bits) == 0; }
  ClassSet operator&(ClassSet o) const { return {bits & o.bits}; }
  bool operator==(ClassSet o) const { return bits == o.bits; }
  /// Its classes, in the order of their values.
  std::vector<SegmentClass> list() const;
};
/// "row_segments, scattered".
std::string classNames(ClassSet classes, std::string_view separator = ", ");

enum class Storage : uint8_t {
#define ASTFE_STORAGE(Name, name, What) Name,
#include "ASTFE/Core/Kernel/Storages.def"
};
/// "view or packed", as text.
NameList storageNames();
std::string_view storageName(Storage storage);
std::optional<Storage> parseStorage(std::string_view name);

/// Whose workers a pattern is cut for: threads of a host, which look for work,
/// or warps of a GPU, which do not, so that they are cut to equal work.
enum class PackTarget : uint8_t {
#define ASTFE_PACK_TARGET(Name, name, What) Name,
#include "ASTFE/Core/Kernel/Storages.def"
};
/// "host or gpu", as text.
NameList targetNames();
std::string_view targetName(PackTarget target);
std::optional<PackTarget> parseTarget(std::string_view name);

struct Layout {
  Storage storage = Storage::Packed;
  PackTarget target = PackTarget::Host;
  /// Bits of a stored column: 8 and 16 are relative to the span's first column
  /// (a span never covers more), 32 is the column itself.
  uint8_t columnBits = 32;
  /// A packed pattern may have any nonzeros: one of the classes stores all, and
  /// each finds the one beside it that stores what it leaves (Classes.def).
  ClassSet classes = ClassSet::general();
  /// The same bits for the same graph and workers: no atomics.
  bool deterministic = false;
  /// Dense operands hold no Inf or NaN, so that tiles may be zero-filled.
  bool assumeFinite = false;
  /// Columns of a window of RowWindows: 1..kWidestWindow. For hosts.
  int64_t windowColumns = kWindowColumns;
  /// Bytes of a row of the dense operands. They decide whether there are strips
  /// (Pack/Strips.h), with the numbers of a machine in general, whether short
  /// rows are cut at windows, whether rows are sorted by length, and whether
  /// what is cleared goes on beyond rows. 0: unknown; then there are no strips,
  /// rows are not sorted, and windows are as for at most kStripBytes. For hosts.
  int64_t denseBytes = 0;
  /// Columns of the tile that a warp takes at a time, 0 where products have one
  /// column. They decide what a segment costs a warp. For GPUs.
  int64_t columnTile = kWidestTile;

  Status check() const;
  /// Rows of the dense operands are known to be so short that what a processor
  /// cannot foresee at their ends counts more than what they move. For hosts.
  bool hasNarrowRows() const;
  /// Rows that are written up to which a run of cleared rows goes on beyond
  /// them (Pack/PackGaps.h); 0: runs end there.
  int64_t joinedRows() const;
  bool operator==(const Layout &o) const;
  /// The layout without the fields that only pack reads: layouts that are then
  /// equal have the same kernels.
  Layout forKernels() const;
};

/// What is compiled: the classes that there is code for, and the columns that
/// it is specialised on.
struct Kernel {
  ClassSet classes;
  /// 0: one column, lanes over nonzeros.
  int64_t columnTile = 0;

  Status check() const;
};

} // namespace astfe::core

#endif // ASTFE_CORE_KERNEL_KERNEL_H
