//===- TileOrder.cpp - tiles of columns at once, or in turn ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/TileOrder.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include <algorithm>
#include <vector>

namespace astfe::core {

/// Rows of B and C that memory delivers or takes, where L2 holds so many.
static int64_t rowsFromMemory(const SparseView &view, int64_t held) {
  const int64_t most = std::max<int64_t>(1, rules::kGenerationPart * held / 3);
  // By row of B: the last generation that touched it. 0 is long ago.
  std::vector<int32_t> seen(size_t(view.shape[1]), 0);
  int32_t now = 2;
  int64_t distinct = 0, missed = 0;
  const IndexArray &coordinates = view.coordinates.front();
  for (int64_t i = 0, n = view.nonzeros(); i < n; ++i) {
    const auto column = uint64_t(coordinates[i]);
    if (column >= seen.size())
      continue; // pack() says so
    int32_t &last = seen[column];
    if (last == now)
      continue;
    missed += last != now - 1;
    if (distinct == most) {
      ++now;
      distinct = 0;
    }
    last = now;
    ++distinct;
  }
  return missed + view.shape[0];
}

/// Seconds of all tiles, `together` of which are worked on at the same time:
/// what L2 takes for each nonzero, or memory for what L2 lost.
static double secondsOf(const SparseView &view, int64_t tileBytes,
                        int64_t tiles, int64_t together) {
  const int64_t held =
      rules::kGPUCacheBytes[2] / std::max<int64_t>(1, tileBytes * together);
  const double l2 = double(view.nonzeros()) * rules::kGPUAccessL2.back();
  const double memory =
      double(rowsFromMemory(view, held)) * rules::kGPUAccessMemory.back();
  return double(tiles) * std::max(l2, memory);
}

/// Whether a row is longer than a warp's share.
static bool hasLongRows(const SparseView &view, int64_t warps) {
  const int64_t share = view.nonzeros() / std::max<int64_t>(1, warps);
  for (int64_t row = 0; row < view.shape[0]; ++row)
    if (view.positions[row + 1] - view.positions[row] > share)
      return true;
  return false;
}

int64_t tilesTogether(const SparseView &view, int64_t tile, int64_t tiles,
                      int64_t warps) {
  const int64_t l2 = rules::kGPUCacheBytes[3], half = rules::kGPUCacheBytes[2];
  const int64_t tileBytes = tile * int64_t(sizeof(float));
  const int64_t bytes = view.shape[1] * tileBytes;
  if (tiles == 1 || bytes * tiles <= half || view.format != SparseFormat::Csr ||
      view.positions.size() != view.shape[0] + 1) // pack() says so
    return 0;
  const int64_t inTurn =
      std::clamp<int64_t>(half / bytes, 1, rules::kGPUGridLimit);
  if (!hasLongRows(view, warps))
    return bytes > l2 ? 0 : inTurn;
  // Nonzeros that share no rows of B bring all of them, in whatever order.
  return view.shape[1] <= view.nonzeros() &&
                 secondsOf(view, tileBytes, tiles, inTurn) <
                     secondsOf(view, tileBytes, tiles, tiles)
             ? inTurn
             : 0;
}

} // namespace astfe::core
