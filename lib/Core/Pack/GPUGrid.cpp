//===- GPUGrid.cpp - which blocks share a multiprocessor ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

namespace astfe::core {

/// The largest divisor of a number up to `most`.
static int64_t divisorUpTo(int64_t number, int64_t most) {
  while (number % most != 0)
    --most;
  return most;
}

GPUGrid gpuGrid(int64_t blocks, int64_t tiles, int64_t together,
                int64_t multiprocessors) {
  constexpr int64_t kMost = rules::kGPUGridLimit;
  constexpr int64_t kResident =
      rules::kGPUResidentWarps / rules::kGPUBlockWarps;
  const int64_t units = std::clamp<int64_t>(multiprocessors, 1, kMost);
  auto ceilDiv = [](int64_t a, int64_t b) {
    return int64_t(llvm::divideCeil(uint64_t(a), uint64_t(b)));
  };
  GPUGrid grid;
  // A multiprocessor has one tile only where so many divide them all.
  const int64_t wanted = together ? std::min(together, tiles) : tiles;
  const int64_t common = std::gcd(units, tiles);
  grid.x =
      blocks < units ? wanted : divisorUpTo(common, std::min(wanted, common));
  const int64_t most = std::max<int64_t>(1, units / grid.x);
  grid.y = blocks;
  if (blocks < units)
    return grid;
  // All of them, with or without a block: fewer would shift the blocks of each
  // layer along z to other multiprocessors.
  grid.y = most;
  // As few as go over the blocks as often: the last time has about as many as
  // the others, which lie on all multiprocessors.
  const int64_t each = ceilDiv(blocks, most);
  grid.z = ceilDiv(each, ceilDiv(each, kResident));
  return grid;
}

} // namespace astfe::core
