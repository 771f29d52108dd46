//===- Limit.cpp - T, the work above which a block is split ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/Limit.h"
#include "ASTFE/Core/Graph/Refine.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

using namespace astfe::core;

Result<std::optional<double>>
astfe::core::parseThreshold(std::string_view text) {
  if (text == "auto")
    return std::optional<double>();
  double tau = 0;
  const char *last = text.data() + text.size();
  auto [end, code] = std::from_chars(text.data(), last, tau);
  if (code != std::errc() || end != last || !(tau > 0.5 && tau < 1))
    return Error{"expected a threshold of auto, or above 0.5 and below 1, but "
                 "got '" +
                 std::string(text) + "'"};
  return std::optional<double>(tau);
}

Status astfe::core::checkLimitOptions(std::optional<double> threshold,
                                      int64_t workers, int64_t waves) {
  if (threshold && !(*threshold > 0.5 && *threshold < 1))
    return Error{"expected a threshold between 0.5 and 1 but got " +
                 std::to_string(*threshold)};
  if (workers < 1)
    return Error{"expected at least 1 worker but got " +
                 std::to_string(workers)};
  if (waves < 1)
    return Error{"expected at least 1 wave but got " + std::to_string(waves)};
  return Success{};
}

int64_t astfe::core::scaledMedian(double tau, int64_t median) {
  const __int128 one = __int128(1) << 53;
  auto scaled = __int128(std::ldexp(tau, 53));
  __int128 exact = scaled * median / (one - scaled);
  return int64_t(
      std::min(exact, __int128(std::numeric_limits<int64_t>::max())));
}

/// The lower median over the leaves with nonzeros.
static int64_t medianOf(ArrayRef<Leaf> leaves) {
  std::vector<int64_t> values;
  values.reserve(leaves.size());
  for (const Leaf &leaf : leaves)
    if (leaf.nonzeros > 0)
      values.push_back(leaf.work);
  if (values.empty())
    return 0;
  auto middle = values.begin() + std::ptrdiff_t((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t astfe::core::workLimit(ArrayRef<Leaf> leaves,
                               std::optional<double> threshold, int64_t workers,
                               int64_t waves, int64_t *median) {
  int64_t total = 0;
  for (const Leaf &leaf : leaves)
    total += leaf.work;
  auto limit = int64_t(total / (__int128(workers) * waves));
  if (threshold || median) {
    int64_t middle = medianOf(leaves);
    if (median)
      *median = middle;
    if (threshold)
      limit = std::max(limit, scaledMedian(*threshold, middle));
  }
  return std::max<int64_t>(limit, 1);
}
