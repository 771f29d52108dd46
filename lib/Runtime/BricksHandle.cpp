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

core::Status BricksHandle::ensureCopy(int64_t mode) {
  if (mode < 0 || mode >= int64_t(bricks.rank()))
    return core::Error{"expected a mode from 0 to " +
                       std::to_string(bricks.rank() - 1) + " but got " +
                       std::to_string(mode)};
  core::BrickOptions options;
  options.threads = unsigned(threads());
  return core::addCopy(bricks, unsigned(mode), options);
}

core::Result<const core::ModeCopy *> BricksHandle::copyOf(int64_t mode) {
  std::lock_guard<std::mutex> lock(mutex);
  if (core::Status status = ensureCopy(mode); !status)
    return status.error();
  return &*bricks.copies[size_t(mode)];
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
  if (core::Status status = ensureCopy(mode); !status)
    return status.error();
  return findOrMake(shares, mode, ranges, &core::BrickShares::ranges, [&] {
    return core::shareRows(bricks, unsigned(mode), ranges);
  });
}

core::Result<const core::BrickParts *> BricksHandle::partsOf(int64_t mode,
                                                             int64_t workers) {
  std::lock_guard<std::mutex> lock(mutex);
  if (core::Status status = ensureCopy(mode); !status)
    return status.error();
  return findOrMake(parts, mode, workers, &core::BrickParts::workers, [&] {
    return core::cutParts(bricks, unsigned(mode), workers);
  });
}

core::Result<int64_t> BricksHandle::rangesFor(int64_t mode, int64_t workers,
                                              int64_t rowBytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (core::Status status = ensureCopy(mode); !status)
    return status.error();
  return workers *
         core::rangesForCache(bricks, unsigned(mode), workers, rowBytes);
}
