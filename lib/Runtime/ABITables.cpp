//===- ABITables.cpp - tables of a pattern, on the host and on devices ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Threads.h"

using namespace astfe;
using namespace astfe::rt;

namespace {
/// A table as bytes: nothing for a number that is not one.
struct Table {
  const void *data = nullptr;
  int64_t count = 0;
  unsigned bytes = 0; ///< of an element; 0: no such table
};
} // namespace

template <typename Entries>
static Table tableOf(const Entries &entries) {
  return {entries.data(), int64_t(entries.size()), sizeof(entries[0])};
}

static Table columnsOf(const core::Packed &packed) {
  if (packed.layout.columnBits == 8)
    return tableOf(packed.columns8);
  if (packed.layout.columnBits == 16)
    return tableOf(packed.columns16);
  return tableOf(packed.columns32);
}

static Table findPackedTable(const core::Packed &packed, int64_t number) {
  switch (number) {
  case ASTFE_WORKER_SPAN:
    return tableOf(packed.workerSpan);
  case ASTFE_SPAN_SLOT:
    return tableOf(packed.spanSlot);
  case ASTFE_SPAN_SEGMENT:
    return tableOf(packed.spanSegment);
  case ASTFE_SPAN_COLUMN:
    return tableOf(packed.spanColumn);
  case ASTFE_SPAN_CLASS:
    return tableOf(packed.spanClass);
  case ASTFE_SPAN_WIDTH:
    return tableOf(packed.spanWidth);
  case ASTFE_SEGMENT_ROW:
    return tableOf(packed.segmentRow);
  case ASTFE_SEGMENT_TARGET:
    return tableOf(packed.segmentTarget);
  case ASTFE_SEGMENT_END:
    return tableOf(packed.segmentEnd);
  case ASTFE_COLUMNS:
    return columnsOf(packed);
  case ASTFE_COMBINE_ROW:
    return tableOf(packed.combineRow);
  case ASTFE_COMBINE_BEGIN:
    return tableOf(packed.combineBegin);
  case ASTFE_COMBINE_PARTIAL:
    return tableOf(packed.combinePartial);
  case ASTFE_SEGMENT_FIRST:
    return tableOf(packed.segmentFirst);
  case ASTFE_WORKER_GAP:
    return tableOf(packed.workerGap);
  case ASTFE_GAP_BEGIN:
    return tableOf(packed.gapBegin);
  case ASTFE_GAP_END:
    return tableOf(packed.gapEnd);
  }
  return {};
}

core::Result<const core::SumTargets *> PatternHandle::sumTargets(bool bySlot) {
  std::lock_guard<std::mutex> lock(making);
  std::optional<core::SumTargets> &known = sums[bySlot];
  if (known)
    return &*known;
  auto made = core::withinMemory(
      {"out of memory"}, [&] { return core::sumTargets(value, bySlot); });
  if (!made)
    return made.error();
  return &known.emplace(std::move(*made));
}

/// A table of `sums`, or the pattern's in its place.
static core::Result<Table> findSumTable(PatternHandle &pattern, int64_t which,
                                        bool bySlot) {
  core::Result<const core::SumTargets *> made = pattern.sumTargets(bySlot);
  if (!made)
    return made.error();
  const core::SumTargets &sums = **made;
  const core::Packed &packed = pattern.value;
  auto choose = [&](const auto &own, const auto &other) {
    return sums.areThose() ? tableOf(other) : tableOf(own);
  };
  switch (which) {
  case ASTFE_SUM_TARGET:
    return choose(sums.segmentTarget, packed.segmentTarget);
  case ASTFE_SUM_ROW:
    return choose(sums.combineRow, packed.combineRow);
  case ASTFE_SUM_BEGIN:
    return choose(sums.combineBegin, packed.combineBegin);
  default:
    return choose(sums.combinePartial, packed.combinePartial);
  }
}

core::Result<const core::SlotNonzeros *>
PatternHandle::slotNonzeros(int64_t mostNarrow) {
  std::lock_guard<std::mutex> lock(making);
  if (bySlots)
    return &*bySlots;
  auto made = core::withinMemory(
      {"out of memory"}, [&]() -> core::Result<core::SlotNonzeros> {
        return core::slotNonzeros(value, unsigned(threads()), mostNarrow);
      });
  if (!made)
    return made.error();
  return &bySlots.emplace(std::move(*made));
}

/// A table that is made when it is first asked for; of a number that is none of
/// theirs, no table.
static core::Result<Table> findMadeTable(PatternHandle &pattern,
                                         int64_t number) {
  constexpr int64_t kSumTables = ASTFE_SLOT_SUM_TARGET - ASTFE_SUM_TARGET;
  if (number < ASTFE_SUM_TARGET || number >= ASTFE_TABLE_COUNT)
    return Table();
  if (number >= ASTFE_SLOT_NONZERO) {
    core::Result<const core::SlotNonzeros *> made = pattern.slotNonzeros();
    if (!made)
      return made.error();
    return number == ASTFE_SLOT_NONZERO ? tableOf((*made)->narrow)
                                        : tableOf((*made)->wide);
  }
  const bool bySlot = number >= ASTFE_SLOT_SUM_TARGET;
  return findSumTable(pattern, bySlot ? number - kSumTables : number, bySlot);
}

static void refuseTable(int64_t number, unsigned had, unsigned wanted) {
  if (!had)
    setLastError("expected a table from 0 to " +
                 std::to_string(ASTFE_TABLE_COUNT - 1) + " but got " +
                 std::to_string(number));
  else
    setLastError("expected table " + std::to_string(number) + " as i" +
                 std::to_string(8 * had) + " but got i" +
                 std::to_string(8 * wanted));
}

/// The table if it exists and its elements have `bytes` bytes, else an error.
/// Each product asks for some fifteen, so that the pattern's go no detour.
static bool takeTable(PatternHandle &pattern, int64_t number, unsigned bytes,
                      Table &table) {
  table = findPackedTable(pattern.value, number);
  if (table.bytes == bytes)
    return true;
  if (!table.bytes) {
    core::Result<Table> found = findMadeTable(pattern, number);
    if (!found) {
      setLastError(found.message());
      return false;
    }
    table = *found;
  }
  if (table.bytes != bytes)
    refuseTable(number, table.bytes, bytes);
  return table.bytes == bytes;
}

static AstfeMemRef1D hostTable(void *pattern, int64_t number, unsigned bytes) {
  auto *packed = handleAs<PatternHandle>(pattern);
  Table table;
  if (!packed || !takeTable(*packed, number, bytes, table))
    return memrefOf(nullptr, 0);
  return memrefOf(const_cast<void *>(table.data), table.count);
}

static AstfeMemRef1D deviceTable(void *pattern, int64_t number,
                                 unsigned bytes) {
  auto *packed = handleAs<PatternHandle>(pattern);
  Table table;
  if (!packed || !takeTable(*packed, number, bytes, table))
    return memrefOf(nullptr, 0);
  core::Result<Device *> device = currentDevice();
  core::Result<void *> memory =
      device ? packed->onDevice.get(*device, number, table.data,
                                    size_t(table.count) * bytes)
             : core::Result<void *>(device.error());
  if (memory)
    return memrefOf(*memory, table.count);
  setLastError(memory.message());
  return memrefOf(nullptr, 0);
}

#define ASTFE_TABLE_FUNCTIONS(BITS)                                            \
  extern "C" void _mlir_ciface_astfe_rt_table_i##BITS(                         \
      AstfeMemRef1D *result, void *pattern, int64_t table) {                   \
    *result = hostTable(pattern, table, BITS / 8);                             \
  }                                                                            \
  extern "C" void _mlir_ciface_astfe_rt_device_table_i##BITS(                  \
      AstfeMemRef1D *result, void *pattern, int64_t table) {                   \
    *result = deviceTable(pattern, table, BITS / 8);                           \
  }
ASTFE_TABLE_FUNCTIONS(8)
ASTFE_TABLE_FUNCTIONS(16)
ASTFE_TABLE_FUNCTIONS(32)
ASTFE_TABLE_FUNCTIONS(64)
#undef ASTFE_TABLE_FUNCTIONS
