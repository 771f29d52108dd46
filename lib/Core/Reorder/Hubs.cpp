//===- Hubs.cpp - rows and columns that touch everything ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Reorder/Hubs.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Tensor/Nonzeros.h"
#include <charconv>

namespace astfe::core {
namespace {

std::vector<int64_t> countByIndex(const SparseView &view, unsigned mode) {
  std::vector<int64_t> counts(size_t(view.shape[mode]), 0);
  for (NonzeroBatches<int64_t> batch(view, 0, view.nonzeros()); batch.next();)
    for (int64_t i = 0; i < batch.size(); ++i)
      ++counts[size_t(batch.coordinates()[mode][i])];
  return counts;
}

std::vector<int64_t> hubsOf(const SparseView &view, unsigned mode,
                            int64_t most) {
  std::vector<int64_t> counts = countByIndex(view, mode), hubs;
  int64_t total = view.nonzeros(), other = view.shape[1 - mode];
  auto used = int64_t(std::count_if(counts.begin(), counts.end(),
                                    [](int64_t count) { return count > 0; }));
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t count = counts[i];
    bool stands =
        __int128(count) * used >= __int128(rules::kHubAboveMean) * total;
    if (count > 0 && stands &&
        (count >= (other + 1) / 2 || count >= total / rules::kHubWork))
      hubs.push_back(int64_t(i));
  }
  if (most == kAutoHubs)
    return int64_t(hubs.size()) * rules::kMostHubs > used
               ? std::vector<int64_t>()
               : hubs;
  if (int64_t(hubs.size()) > most) {
    std::sort(hubs.begin(), hubs.end(), [&](int64_t a, int64_t b) {
      int64_t countA = counts[size_t(a)], countB = counts[size_t(b)];
      return countA != countB ? countA > countB : a < b;
    });
    hubs.resize(size_t(most));
    std::sort(hubs.begin(), hubs.end());
  }
  return hubs;
}

} // namespace

std::optional<int64_t> parseHubs(std::string_view text) {
  if (text == "none")
    return kNoHubs;
  if (text == "auto")
    return kAutoHubs;
  int64_t most = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), most);
  if (error != std::errc() || end != text.data() + text.size() || most < 1)
    return std::nullopt;
  return most;
}

Result<Hubs> findHubs(const SparseView &view, int64_t most) {
  if (most < kAutoHubs)
    return Error{"expected hubs from 0, or -1 for auto, but got " +
                 std::to_string(most)};
  if (view.rank() != 2)
    return Error{"expected a matrix to find hubs in but got a tensor of rank " +
                 std::to_string(view.rank())};
  if (most == kNoHubs || view.nonzeros() == 0)
    return Hubs();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (int64_t extent : view.shape)
    if (extent > kMost)
      return Error{"expected extents of at most 2147483647 to find hubs in but "
                   "got " +
                   std::to_string(extent)};
  return Hubs{hubsOf(view, 0, most), hubsOf(view, 1, most)};
}

} // namespace astfe::core
