//===- ABIBricks.cpp - tensors of any rank --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/StageLog.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::rt;

extern "C" void *_mlir_ciface_astfe_rt_pack_levels(AstfeMemRef1D *levels,
                                                   AstfeMemRef1D *extents,
                                                   void *graph) {
  auto *by = handleAs<GraphHandle>(graph);
  if (!by)
    return nullptr;
  return makeHandle<BricksHandle>([&]() -> core::Result<core::Bricks> {
    StageTimer timer(stageLog().pack);
    auto view = tensorView(levels, extents);
    if (!view)
      return view.error();
    core::BrickOptions options;
    options.oneWidth = true;
    options.threads = unsigned(threads());
    auto bricks =
        core::packBricks(*view, core::joinForBricks(by->value), options);
    if (bricks) {
      stageLog().groups = bricks->bricks();
      stageLog().slots = bricks->nonzeros;
    }
    return bricks;
  });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// 16 for all modes, or 32.
static bool hasOneWidth(const std::vector<unsigned> &bits) {
  return bits.front() >= 16 &&
         std::count(bits.begin(), bits.end(), bits.front()) ==
             std::ptrdiff_t(bits.size());
}

/// The handle, if a kernel for so many modes has code for its bricks.
static BricksHandle *fittingHandle(void *bricks, int64_t rank) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle)
    return nullptr;
  if (rank == int64_t(handle->fixed().rank()) &&
      hasOneWidth(handle->fixed().bits))
    return handle;
  if (rank == int64_t(handle->fixed().rank()))
    setLastError("expected bricks whose coordinates all have 16 bits, or all "
                 "32, but got others");
  else
    setLastError("expected a tensor of rank " + std::to_string(rank) +
                 ", which the kernel is for, but got rank " +
                 std::to_string(handle->fixed().rank()));
  return nullptr;
}

extern "C" int64_t _mlir_ciface_astfe_rt_bricks_fit(void *bricks, int64_t rank,
                                                    int64_t key) {
  BricksHandle *handle = fittingHandle(bricks, rank);
  return handle && valueOr0(handle->copyOf(key)) != nullptr;
}

extern "C" void _mlir_ciface_astfe_rt_bricks_expect_gpu(void *bricks) {
  if (auto *handle = handleAs<BricksHandle>(bricks))
    handle->expectGPU();
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_slices(void *bricks,
                                                      int64_t rank, int64_t key,
                                                      int64_t valueBytes) {
  BricksHandle *handle = fittingHandle(bricks, rank);
  if (!handle)
    return 0;
  const int64_t slices = valueOr0(handle->slicesOf(key, valueBytes));
  auto sliced = handle->isSliced(key);
  stageLog().slices = sliced && *sliced ? slices : 0;
  return slices;
}

extern "C" void *_mlir_ciface_astfe_rt_brick_slice(void *bricks, int64_t key,
                                                   int64_t number,
                                                   int64_t slices) {
  auto *handle = handleAs<BricksHandle>(bricks);
  return handle ? valueOr0(handle->slice(key, number, slices)) : nullptr;
}

static const core::BrickParts *partsOf(void *bricks, int64_t key,
                                       int64_t workers) {
  auto *handle = handleAs<BricksHandle>(bricks);
  return handle ? valueOr0(handle->partsOf(key, workers)) : nullptr;
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_parts(void *bricks, int64_t key,
                                                     int64_t workers) {
  const core::BrickParts *parts = partsOf(bricks, key, workers);
  return parts ? parts->parts() : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_row_parts(void *bricks,
                                                         int64_t key,
                                                         int64_t workers) {
  const core::BrickParts *parts = partsOf(bricks, key, workers);
  return parts ? parts->ofRows : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_rows_ascend(void *bricks,
                                                           int64_t key,
                                                           int64_t ranges) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle || valueOr0(handle->isSliced(key)))
    return 0;
  const core::BrickShares *shares = valueOr0(handle->sharesOf(key, ranges));
  return shares && shares->rowsAscend;
}

static const core::Bricks *walkedBy(void *bricks, int64_t key) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle)
    return nullptr;
  const core::Bricks *known = handle->knownWalkedBy(key);
  return known ? known : valueOr0(handle->walkedBy(key));
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_count(void *bricks,
                                                     int64_t key) {
  const core::Bricks *mine = walkedBy(bricks, key);
  return mine ? mine->bricks() : 0;
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_reach(void *bricks,
                                                     int64_t mode) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle)
    return 0;
  const core::Bricks &mine = handle->fixed();
  if (mode < 0 || mode >= int64_t(mine.rank()))
    return 0;
  int64_t all = 0;
  for (size_t at = size_t(mode); at < mine.reach.size(); at += mine.rank())
    all += int64_t(mine.reach[at]) + 1;
  return all;
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_bits(void *bricks, int64_t key) {
  const core::Bricks *mine = walkedBy(bricks, key);
  return mine ? mine->bits.front() : 0;
}

static int64_t fiberModeOf(const core::ModeCopy &copy) {
  return copy.fiberMode ? int64_t(*copy.fiberMode) : -1;
}

extern "C" int64_t _mlir_ciface_astfe_rt_brick_fiber_mode(void *bricks,
                                                          int64_t key) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle)
    return -1;
  if (const core::Bricks *known = handle->knownWalkedBy(key))
    return fiberModeOf(*known->copies[size_t(key)]);
  const core::ModeCopy *copy = valueOr0(handle->copyOf(key));
  return copy ? fiberModeOf(*copy) : -1;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// A table as bytes; no width where there is none of that number.
struct BrickTable {
  const void *data = nullptr;
  int64_t count = 0;
  unsigned bytes = 0;
};
} // namespace

template <typename Entries>
static BrickTable tableOf(const Entries &entries) {
  return {entries.data(), int64_t(entries.size()), sizeof(entries[0])};
}

/// Local coordinates, and those that kernels may look ahead at.
static BrickTable coordinatesOf(const core::LocalArray &array) {
  static_assert(ASTFE_BRICK_AHEAD <= core::LocalArray::kAhead,
                "tables end before kernels do");
  return array.visit([&](const auto *data) -> BrickTable {
    return {data, int64_t(array.size()) + ASTFE_BRICK_AHEAD, sizeof(*data)};
  });
}

static bool isOfRanges(int64_t number) {
  return number == ASTFE_RANGE_ROW || number == ASTFE_RANGE_SEGMENT ||
         number == ASTFE_RANGE_SLOT || number == ASTFE_RANGE_FIBER;
}

static bool isOfParts(int64_t number) {
  return (number >= ASTFE_PART_ROW && number <= ASTFE_PART_SLOT) ||
         number == ASTFE_PART_BRICK;
}

static core::Result<BrickTable> findPartTable(BricksHandle &handle, int64_t key,
                                              int64_t workers, int64_t number) {
  auto parts = handle.partsOf(key, workers);
  if (!parts)
    return parts.error();
  switch (number) {
  case ASTFE_PART_ROW:
    return tableOf((*parts)->rows);
  case ASTFE_PART_LEFT:
    return tableOf((*parts)->left);
  case ASTFE_PART_SEGMENT:
    return tableOf((*parts)->segment);
  case ASTFE_PART_BRICK:
    return tableOf((*parts)->brick);
  default:
    return tableOf((*parts)->slot);
  }
}

static BrickTable findRangeTable(const core::BrickShares &shares,
                                 int64_t number) {
  switch (number) {
  case ASTFE_RANGE_ROW:
    return tableOf(shares.rows);
  case ASTFE_RANGE_SEGMENT:
    return tableOf(shares.segment);
  case ASTFE_RANGE_SLOT:
    return tableOf(shares.slot);
  case ASTFE_RANGE_FIBER:
    return tableOf(shares.fiber);
  default:
    return tableOf(shares.lastFiber);
  }
}

/// A table of the bricks that products into rows of the key walk; none of a
/// number that is no such table.
static BrickTable findBrickTable(const core::Bricks &bricks, int64_t key,
                                 int64_t number) {
  const core::ModeCopy &copy = *bricks.copies[size_t(key)];
  switch (number) {
  case ASTFE_BRICK_SLOT:
    return tableOf(bricks.brickSlot);
  case ASTFE_BRICK_ORIGIN:
    return tableOf(bricks.origin);
  case ASTFE_BRICK_FIBER:
    return tableOf(copy.fibers.begin);
  case ASTFE_BRICK_SEGMENT_LAST:
    return tableOf(copy.segments.last);
  case ASTFE_FIBER_LAST:
    return tableOf(copy.fibers.last);
  }
  const bool isBySlot = number >= ASTFE_SLOT_COORDINATE;
  const int64_t mode =
      number - (isBySlot ? ASTFE_SLOT_COORDINATE : ASTFE_BRICK_COORDINATE);
  if (mode < 0 || mode >= int64_t(bricks.rank()))
    return {};
  return coordinatesOf(mode == key ? copy.segments.coordinate
                       : mode == copy.fiberMode && !isBySlot
                           ? copy.fibers.coordinate
                           : copy.coordinates[size_t(mode)]);
}

static bool isOfBricks(int64_t number) {
  return !isOfParts(number) && !isOfRanges(number) &&
         number != ASTFE_BRICK_SEGMENT_FIBER;
}

static core::Result<BrickTable> findTable(BricksHandle &handle, int64_t key,
                                          int64_t ranges, int64_t number) {
  if (isOfParts(number))
    return findPartTable(handle, key, ranges, number);
  if (!isOfBricks(number)) {
    auto shares = handle.sharesOf(key, ranges);
    if (!shares)
      return shares.error();
    return findRangeTable(**shares, number);
  }
  auto walked = handle.walkedBy(key);
  if (!walked)
    return walked.error();
  const BrickTable table = findBrickTable(**walked, key, number);
  if (table.bytes)
    return table;
  return core::Error{
      "expected a table from 0 to " +
      std::to_string(ASTFE_BRICK_COORDINATE + handle.fixed().rank() - 1) +
      " but got " + std::to_string(number)};
}

/// The table, of elements of that width; else an error, and none.
static core::Result<BrickTable> takeTable(BricksHandle &handle, int64_t key,
                                          int64_t ranges, int64_t number,
                                          unsigned bytes) {
  auto table = findTable(handle, key, ranges, number);
  if (table && table->bytes != bytes)
    return core::Error{"expected table " + std::to_string(number) + " as i" +
                       std::to_string(8 * table->bytes) + " but got i" +
                       std::to_string(8 * bytes)};
  return table;
}

/// A host's table that is there already, or none. Each product asks for some
/// fifteen, so that those go no detour.
static BrickTable findKnownTable(const BricksHandle &handle, int64_t key,
                                 int64_t ranges, int64_t number) {
  if (isOfParts(number))
    return {};
  if (isOfBricks(number)) {
    const core::Bricks *walked = handle.knownWalkedBy(key);
    return walked ? findBrickTable(*walked, key, number) : BrickTable();
  }
  const core::BrickShares *shares = handle.knownSharesOf(key, ranges);
  return shares ? findRangeTable(*shares, number) : BrickTable();
}

static AstfeMemRef1D brickTable(void *bricks, int64_t key, int64_t ranges,
                                int64_t number, unsigned bytes) {
  auto *handle = handleAs<BricksHandle>(bricks);
  if (!handle)
    return memrefOf(nullptr, 0);
  BrickTable table = findKnownTable(*handle, key, ranges, number);
  if (table.bytes != bytes)
    table = valueOr0(takeTable(*handle, key, ranges, number, bytes));
  return memrefOf(const_cast<void *>(table.data), table.count);
}

/// Names a table among the bricks' copies on a device: by what it depends on,
/// which is the bricks alone, or how the key arranges them, or also the ranges
/// of the key's rows.
static int64_t deviceName(bool isOfAll, int64_t key, int64_t ranges,
                          int64_t number) {
  if (!isOfRanges(number) && !isOfParts(number))
    ranges = 0;
  // A number that no mode has.
  if (isOfAll && (number == ASTFE_BRICK_SLOT || number == ASTFE_BRICK_ORIGIN))
    key = core::kMaxRank;
  return number +
         ASTFE_BRICK_TABLE_COUNT * (key + int64_t(core::kMaxRank) * ranges);
}

static bool isCoordinate(int64_t number) {
  static_assert(ASTFE_SLOT_COORDINATE + core::kMaxRank <=
                    ASTFE_BRICK_TABLE_COUNT,
                "tables of a mode each");
  return number >= ASTFE_BRICK_COORDINATE &&
         number < ASTFE_BRICK_COORDINATE + int64_t(core::kMaxRank);
}

static core::Result<AstfeMemRef1D> onDevice(BricksHandle &handle, int64_t key,
                                            int64_t ranges, int64_t number,
                                            unsigned bytes) {
  // Kernels of a GPU walk slots, whatever fibers there are.
  const int64_t onHost =
      isCoordinate(number)
          ? number + (ASTFE_SLOT_COORDINATE - ASTFE_BRICK_COORDINATE)
          : number;
  auto table = takeTable(handle, key, ranges, onHost, bytes);
  if (!table)
    return table.error();
  auto device = currentDevice();
  if (!device)
    return device.error();
  auto walked = handle.walkedBy(key);
  if (!walked)
    return walked.error();
  const bool isOfAll = *walked == &handle.fixed();
  const int64_t name = deviceName(isOfAll, key, ranges, number);
  // Nor do they look ahead, and of no nonzeros there is nothing.
  if (isCoordinate(number))
    table->count -= ASTFE_BRICK_AHEAD;
  core::Result<void *> memory = handle.onDevice.find(*device, name);
  if (!*memory)
    memory =
        core::withinMemory({"out of memory"}, [&]() -> core::Result<void *> {
          return handle.onDevice.get(*device, name, table->data,
                                     size_t(table->count) * bytes);
        });
  if (!memory)
    return memory.error();
  return memrefOf(*memory, table->count);
}

static AstfeMemRef1D brickDeviceTable(void *bricks, int64_t key, int64_t ranges,
                                      int64_t number, unsigned bytes) {
  auto *handle = handleAs<BricksHandle>(bricks);
  return handle ? valueOr0(onDevice(*handle, key, ranges, number, bytes))
                : memrefOf(nullptr, 0);
}

#define ASTFE_BRICK_TABLE(BITS)                                                \
  extern "C" void _mlir_ciface_astfe_rt_brick_table_i##BITS(                   \
      AstfeMemRef1D *result, void *bricks, int64_t key, int64_t ranges,        \
      int64_t table) {                                                         \
    *result = brickTable(bricks, key, ranges, table, BITS / 8);                \
  }                                                                            \
  extern "C" void _mlir_ciface_astfe_rt_brick_device_table_i##BITS(            \
      AstfeMemRef1D *result, void *bricks, int64_t key, int64_t ranges,        \
      int64_t table) {                                                         \
    *result = brickDeviceTable(bricks, key, ranges, table, BITS / 8);          \
  }
ASTFE_BRICK_TABLE(16)
ASTFE_BRICK_TABLE(32)
ASTFE_BRICK_TABLE(64)
#undef ASTFE_BRICK_TABLE
