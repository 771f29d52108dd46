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

core::Result<const core::BrickShares *> BricksHandle::sharesOf(int64_t mode,
                                                               int64_t ranges) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Shares &known : shares)
    if (int64_t(known.mode) == mode && known.value.ranges == ranges)
      return &known.value;
  if (core::Status status = ensureCopy(mode); !status)
    return status.error();
  return core::withinMemory(
      {"out of memory"}, [&]() -> core::Result<const core::BrickShares *> {
        auto made = core::shareRows(bricks, unsigned(mode), ranges);
        if (!made)
          return made.error();
        shares.push_back({unsigned(mode), std::move(*made)});
        return &shares.back().value;
      });
}

core::Result<const core::BrickParts *> BricksHandle::partsOf(int64_t mode,
                                                             int64_t workers) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Parts &known : parts)
    if (int64_t(known.mode) == mode && known.value.workers == workers)
      return &known.value;
  if (core::Status status = ensureCopy(mode); !status)
    return status.error();
  return core::withinMemory(
      {"out of memory"}, [&]() -> core::Result<const core::BrickParts *> {
        auto made = core::cutParts(bricks, unsigned(mode), workers);
        if (!made)
          return made.error();
        parts.push_back({unsigned(mode), std::move(*made)});
        return &parts.back().value;
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
