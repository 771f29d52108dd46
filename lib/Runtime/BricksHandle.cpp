//===- BricksHandle.cpp - bricks that threads share -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>
#include <limits>

using namespace astfe;
using namespace astfe::rt;

int64_t BricksHandle::roomLeft() const {
  int64_t taken = bricks.bytes();
  for (const core::Bricks &own : byRows)
    taken += own.bytes();
  return std::max<int64_t>(memoryLimit() - taken, 0);
}

int64_t BricksHandle::memoryLeft() {
  std::lock_guard<std::mutex> lock(mutex);
  return roomLeft();
}

void BricksHandle::expectRows(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  // Narrower ones take a line all the same where they are read anywhere.
  rowBytes = std::max(bytes, core::rules::kLineBytes);
}

void BricksHandle::expectGPU() {
  std::lock_guard<std::mutex> lock(mutex);
  forGPU = true;
}

/// Whether the products of a mode are to have bricks of their own.
bool BricksHandle::isByRows(unsigned mode) {
  if (forGPU)
    return core::canWalkByRows(bricks);
  if (!reuse && bricks.bricks() > 1 &&
      core::BrickReuse::bytesToCount(bricks) <= roomLeft()) {
    // Without memory to count, boxes will do.
    auto counted = core::withinMemory({"out of memory"},
                                      [&]() -> core::Result<core::BrickReuse> {
                                        return core::countReuse(bricks);
                                      });
    if (counted)
      reuse = std::move(*counted);
  }
  return reuse && core::walksByRows(bricks, mode, *reuse, rowBytes);
}

/// Where there is no room for bricks by rows, those of all modes do.
core::Status BricksHandle::makeCopy(unsigned mode) {
  core::BrickOptions options;
  options.threads = unsigned(threads());
  options.key = mode;
  options.memory = roomLeft();
  if (isByRows(mode)) {
    options.oneWidth = true;
    if (auto own = core::bricksByRows(bricks, options)) {
      byRows.push_back(std::move(*own));
      walked[mode] = &byRows.back();
      return core::Success{};
    }
  }
  if (core::Status status = core::addCopy(bricks, mode, options); !status)
    return memoryLimit() == std::numeric_limits<int64_t>::max()
               ? status
               : core::Error{status.message() + ", of " +
                             std::to_string(memoryLimit()) +
                             " for all tables of the tensor"};
  walked[mode] = &bricks;
  return core::Success{};
}

core::Result<const core::Bricks *> BricksHandle::ensureCopy(int64_t mode) {
  if (mode < 0 || mode >= int64_t(bricks.rank()))
    return core::Error{"expected a mode from 0 to " +
                       std::to_string(bricks.rank() - 1) + " but got " +
                       std::to_string(mode)};
  if (const core::Bricks *known = knownWalkedBy(mode))
    return known;
  if (refused[size_t(mode)])
    return refused[size_t(mode)]->why;
  core::Status status = core::withinMemory(
      {"out of memory"}, [&] { return makeCopy(unsigned(mode)); });
  if (status)
    return knownWalkedBy(mode);
  auto fibers = core::withinMemory(
      status.error(), [&]() -> core::Result<std::optional<unsigned>> {
        return core::fiberModeOf(bricks, unsigned(mode));
      });
  if (fibers)
    refused[size_t(mode)] =
        Refused{status.error(), &*bricks.copies[bricks.anyKey()], *fibers};
  return status.error();
}

core::Result<const core::Bricks *> BricksHandle::walkedBy(int64_t mode) {
  if (const core::Bricks *known = knownWalkedBy(mode))
    return known;
  std::lock_guard<std::mutex> lock(mutex);
  return ensureCopy(mode);
}

core::Result<const core::ModeCopy *> BricksHandle::copyOf(int64_t mode) {
  auto mine = walkedBy(mode);
  if (!mine)
    return mine.error();
  return &*(*mine)->copies[size_t(mode)];
}

core::Result<bool> BricksHandle::isSliced(int64_t mode) {
  if (knownWalkedBy(mode))
    return false;
  std::lock_guard<std::mutex> lock(mutex);
  auto mine = ensureCopy(mode);
  if (mine)
    return false;
  if (mode >= 0 && mode < int64_t(bricks.rank()) && refused[size_t(mode)])
    return true;
  return mine.error();
}

core::Result<core::Bricks> BricksHandle::cutSlice(int64_t mode, int64_t number,
                                                  int64_t slices) {
  const core::ModeCopy *from;
  std::optional<unsigned> fiberMode;
  {
    // Other threads add copies of other modes meanwhile.
    std::lock_guard<std::mutex> lock(mutex);
    from = refused[size_t(mode)]->from;
    fiberMode = refused[size_t(mode)]->fiberMode;
  }
  return core::makeSlice(bricks, *from, unsigned(mode), fiberMode, number,
                         slices, unsigned(threads()));
}

core::Result<int64_t> BricksHandle::slicesOf(int64_t mode, int64_t valueBytes) {
  auto sliced = isSliced(mode);
  if (!sliced)
    return sliced.error();
  if (!*sliced)
    return int64_t(1);
  const int64_t slices = core::sliceCount(bricks, unsigned(threads()));
  auto largest = cutSlice(mode, core::largestSlice(bricks, slices), slices);
  if (!largest)
    return largest.error();
  return core::withinMemory({"out of memory"}, [&]() -> core::Result<int64_t> {
    const std::vector<char> values(size_t(largest->nonzeros * valueBytes));
    auto shares = core::shareRows(*largest, unsigned(mode), threads());
    return shares ? core::Result<int64_t>(slices) : shares.error();
  });
}

core::Result<BricksHandle *> BricksHandle::slice(int64_t mode, int64_t number,
                                                 int64_t slices) {
  auto sliced = isSliced(mode);
  if (!sliced)
    return sliced.error();
  if (!*sliced) {
    retain();
    return this;
  }
  auto mine = cutSlice(mode, number, slices);
  if (!mine)
    return mine.error();
  return core::withinMemory({"out of memory"},
                            [&]() -> core::Result<BricksHandle *> {
                              auto *result = new BricksHandle(std::move(*mine));
                              result->isSlice = true;
                              result->walked[size_t(mode)] = &result->bricks;
                              return result;
                            });
}

core::Result<void *>
BricksHandle::valuesOfSlice(int64_t mode, const core::ValueLayout &layout,
                            void *source) {
  if (!isSlice)
    return source;
  auto values =
      core::withinMemory({"out of memory"}, [&]() -> core::Result<void *> {
        std::vector<char> packed(layout.bytesOf(bricks.nonzeros));
        core::packSlice(bricks, unsigned(mode), layout, source, packed.data(),
                        unsigned(threads()));
        sliceValues.push_back(std::move(packed));
        return static_cast<void *>(sliceValues.back().data());
      });
  if (!values) {
    walked[size_t(mode)] = nullptr;
    refused[size_t(mode)] = Refused{values.error(), nullptr, {}};
  }
  return values;
}

/// The entry of a list that is for a mode and `number`, as `numberOf` says, or
/// a new one of what `make` returns.
template <typename Value, typename Entry, typename Make>
static core::Result<const Value *>
findOrMake(std::list<Entry> &known, int64_t mode, int64_t number,
           int64_t Value::*numberOf, Make make) {
  for (const Entry &entry : known)
    if (int64_t(entry.mode) == mode && entry.value.*numberOf == number)
      return &entry.value;
  return core::withinMemory(
      {"out of memory"}, [&]() -> core::Result<const Value *> {
        auto made = make();
        if (!made)
          return made.error();
        known.push_back({unsigned(mode), std::move(*made)});
        return &known.back().value;
      });
}

const core::BrickShares *BricksHandle::knownSharesOf(int64_t mode,
                                                     int64_t ranges) const {
  if (mode < 0 || mode >= int64_t(latestShares.size()))
    return nullptr;
  const core::BrickShares *latest =
      latestShares[size_t(mode)].load(std::memory_order_acquire);
  return latest && latest->ranges == ranges ? latest : nullptr;
}

core::Result<const core::BrickShares *> BricksHandle::sharesOf(int64_t mode,
                                                               int64_t ranges) {
  if (const core::BrickShares *known = knownSharesOf(mode, ranges))
    return known;
  std::lock_guard<std::mutex> lock(mutex);
  auto mine = ensureCopy(mode);
  if (!mine)
    return mine.error();
  auto found =
      findOrMake(shares, mode, ranges, &core::BrickShares::ranges, [&] {
        return core::shareRows(**mine, unsigned(mode), ranges);
      });
  if (found)
    latestShares[size_t(mode)] = *found;
  return found;
}

core::Result<const core::BrickParts *> BricksHandle::partsOf(int64_t mode,
                                                             int64_t workers) {
  std::lock_guard<std::mutex> lock(mutex);
  auto mine = ensureCopy(mode);
  if (!mine)
    return mine.error();
  return findOrMake(parts, mode, workers, &core::BrickParts::workers, [&] {
    return core::cutParts(**mine, unsigned(mode), workers);
  });
}
