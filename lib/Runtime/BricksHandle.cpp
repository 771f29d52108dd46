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

using namespace astfe;
using namespace astfe::rt;

core::Status BricksHandle::makeCopy(unsigned mode) {
  core::BrickOptions options;
  options.threads = unsigned(threads());
  if (!core::walksByRows(bricks, mode)) {
    walked[mode] = &bricks;
    return core::addCopy(bricks, mode, options);
  }
  options.key = mode;
  options.oneWidth = true;
  auto own = core::bricksByRows(bricks, options);
  if (!own)
    return own.error();
  byRows.push_back(std::move(*own));
  walked[mode] = &byRows.back();
  return core::Success{};
}

core::Result<const core::Bricks *> BricksHandle::ensureCopy(int64_t mode) {
  if (mode < 0 || mode >= int64_t(bricks.rank()))
    return core::Error{"expected a mode from 0 to " +
                       std::to_string(bricks.rank() - 1) + " but got " +
                       std::to_string(mode)};
  if (!walked[size_t(mode)])
    if (core::Status status = makeCopy(unsigned(mode)); !status)
      return status.error();
  return walked[size_t(mode)];
}

core::Result<const core::Bricks *> BricksHandle::walkedBy(int64_t mode) {
  std::lock_guard<std::mutex> lock(mutex);
  return ensureCopy(mode);
}

core::Result<const core::ModeCopy *> BricksHandle::copyOf(int64_t mode) {
  auto mine = walkedBy(mode);
  if (!mine)
    return mine.error();
  return &*(*mine)->copies[size_t(mode)];
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

core::Result<const core::BrickShares *> BricksHandle::sharesOf(int64_t mode,
                                                               int64_t ranges) {
  std::lock_guard<std::mutex> lock(mutex);
  auto mine = ensureCopy(mode);
  if (!mine)
    return mine.error();
  return findOrMake(shares, mode, ranges, &core::BrickShares::ranges, [&] {
    return core::shareRows(**mine, unsigned(mode), ranges);
  });
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
