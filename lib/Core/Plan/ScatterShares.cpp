//===- ScatterShares.cpp - how sums by coordinates are shared out ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/ScatterShares.h"
#include "ASTFE/Core/Target/Constants.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::core;

static int64_t piecesOf(const ScatteredSums &sums) {
  const double bytes = double(sums.rows) * double(sums.columns) *
                       double(sums.elementBytes),
               nonzeros = double(sums.nonzeros);
  int64_t pieces = 1;
  for (int64_t some = 2; some <= rules::kSumPieces; some *= 2) {
    const bool isNear =
        double(some) * bytes <= double(rules::kCacheBytes[2]) / 2;
    if (double(sums.rows) * double(some * some) <= nonzeros &&
        double(rules::kRunNonzeros * some) <= nonzeros &&
        (isNear || (sums.columns == 1 && some == 2)))
      pieces = some;
  }
  return pieces;
}

ScatterShares core::shareScattered(const ScatteredSums &sums) {
  const int64_t pieces = piecesOf(sums);
  if (sums.columns == 1)
    return {pieces > 1, pieces};
  const double rowBytes = double(sums.columns) * double(sums.elementBytes),
               updated = double(sums.nonzeros) * rowBytes,
               walked = double(std::max<int64_t>(sums.walked, 1));
  auto atLeastOne = [](double number) {
    return std::max<int64_t>(1, int64_t(std::min(number, 0x1p30)));
  };
  const int64_t worthwhile =
      atLeastOne(updated / (walked * double(rules::kPartBytes)));
  const bool isSlowSearch = double(sums.walked) * double(rules::kSearchBytes) >
                            double(sums.rows) * rowBytes;
  if (pieces > 1 && (isSlowSearch || worthwhile == 1))
    return {true, pieces};
  return {false, std::min(worthwhile,
                          atLeastOne(updated / double(rules::kWokenBytes)))};
}
