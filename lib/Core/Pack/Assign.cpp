//===- Assign.cpp - exact chains-on-chains --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include <algorithm>

using namespace astfe::core;

namespace {

/// Looks for the least bottleneck. A probe fills the workers one after another
/// up to a bound; where its cuts fall only moves right as the bound grows, so
/// each probe confines the cuts of those that follow (the bounded probes of the
/// paper) and a search of one cut takes O(log of what is left).
class Chains {
public:
  Chains(ArrayRef<int64_t> sums, int64_t workers)
      : sums(sums), workers(size_t(workers)), cuts(this->workers + 1),
        lowest(this->workers + 1, 0),
        highest(this->workers + 1, sums.size() - 1) {}

  int64_t leastBottleneck();
  /// The cuts of the last probe that reached the end.
  const std::vector<size_t> &best() const { return highest; }

private:
  bool probe(int64_t bound);
  int64_t largestRun() const;
  int64_t nextBound(int64_t bound) const;

  ArrayRef<int64_t> sums;
  size_t workers;
  std::vector<size_t> cuts, lowest, highest;
};

} // namespace

/// Cuts as far right as `bound` allows; true if that reaches the end.
bool Chains::probe(int64_t bound) {
  cuts[0] = 0;
  for (size_t p = 1; p <= workers; ++p) {
    size_t from = std::max(lowest[p], cuts[p - 1]);
    auto end = sums.begin() + std::ptrdiff_t(highest[p] + 1);
    auto past = std::upper_bound(sums.begin() + std::ptrdiff_t(from), end,
                                 sums[cuts[p - 1]] + bound);
    cuts[p] = size_t(past - sums.begin()) - 1;
  }
  return cuts[workers] == sums.size() - 1;
}

int64_t Chains::largestRun() const {
  int64_t largest = 0;
  for (size_t p = 1; p <= workers; ++p)
    largest = std::max(largest, sums[cuts[p]] - sums[cuts[p - 1]]);
  return largest;
}

/// The least bound above `bound`, which failed, that moves any cut: what some
/// run would weigh with one more item, or all that was left over.
int64_t Chains::nextBound(int64_t bound) const {
  int64_t next = sums.back();
  for (size_t p = 1; p <= workers; ++p)
    if (cuts[p] + 1 < sums.size())
      next = std::min(next, sums[cuts[p] + 1] - sums[cuts[p - 1]]);
  return std::max(next, bound + 1);
}

int64_t Chains::leastBottleneck() {
  int64_t total = sums.back();
  auto count = int64_t(workers);
  int64_t low = total / count + (total % count != 0), high = total;
  for (size_t i = 1; i < sums.size(); ++i)
    low = std::max(low, sums[i] - sums[i - 1]);
  probe(high);
  highest = cuts;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (probe(middle)) {
      high = largestRun();
      highest = cuts;
    } else {
      low = nextBound(middle);
      lowest = cuts;
    }
  }
  return high;
}

static std::vector<int64_t> offsetsOf(ArrayRef<int64_t> sums,
                                      ArrayRef<size_t> cuts) {
  std::vector<int64_t> offsets;
  for (size_t cut : cuts)
    offsets.push_back(sums[cut]);
  return offsets;
}

/// Runs of at most `bound` >= mean, cut between items where one of the cuts
/// that `bound` leaves open is there, and inside an item where none is.
static std::vector<int64_t> cutInside(ArrayRef<int64_t> sums, int64_t workers,
                                      int64_t bound) {
  int64_t total = sums.back();
  std::vector<int64_t> offsets{0};
  for (int64_t p = 1; p <= workers; ++p) {
    int64_t latest = std::min(offsets.back() + bound, total);
    __int128 rest = __int128(workers - p) * bound;
    auto earliest = int64_t(std::max<__int128>(offsets.back(), total - rest));
    int64_t boundary =
        *(std::upper_bound(sums.begin(), sums.end(), latest) - 1);
    offsets.push_back(boundary >= earliest ? boundary : latest);
  }
  return offsets;
}

std::vector<int64_t> astfe::core::assign(ArrayRef<int64_t> prefixSums,
                                         int64_t workers) {
  assert(!prefixSums.empty() && prefixSums[0] == 0 && "expected prefix sums");
  workers = std::max<int64_t>(workers, 1);
  Chains chains(prefixSums, workers);
  int64_t bottleneck = chains.leastBottleneck();
  int64_t total = prefixSums.back();
  if (__int128(bottleneck) * workers * 1000 <= __int128(total) * 1001)
    return offsetsOf(prefixSums, chains.best());
  return cutInside(prefixSums, workers,
                   total / workers + (total % workers != 0));
}

static std::vector<int64_t> withCosts(ArrayRef<int64_t> prefixSums,
                                      int64_t itemCost) {
  assert(itemCost >= 0 && "expected a cost");
  std::vector<int64_t> costs(prefixSums.begin(), prefixSums.end());
  for (size_t i = 0; i < costs.size(); ++i)
    costs[i] += int64_t(i) * itemCost;
  return costs;
}

/// Offsets in weights for those in weights and costs together.
static std::vector<int64_t> withoutCosts(ArrayRef<int64_t> prefixSums,
                                         ArrayRef<int64_t> costs,
                                         int64_t itemCost,
                                         std::vector<int64_t> offsets) {
  size_t item = 0;
  for (int64_t &offset : offsets) {
    while (item + 1 < costs.size() && costs[item + 1] <= offset)
      ++item;
    // What is paid first inside an item is its own cost.
    int64_t inside = std::max<int64_t>(0, offset - costs[item] - itemCost);
    offset = prefixSums[item] + inside;
  }
  return offsets;
}

std::vector<int64_t> astfe::core::assign(ArrayRef<int64_t> prefixSums,
                                         int64_t workers, int64_t itemCost) {
  if (itemCost == 0)
    return assign(prefixSums, workers);
  const std::vector<int64_t> costs = withCosts(prefixSums, itemCost);
  return withoutCosts(prefixSums, costs, itemCost, assign(costs, workers));
}

/// Runs that end where the item nearest to an equal share begins or ends; items
/// of more than `most` are cut into equal pieces of at most that or half a
/// share. Empty runs are the last ones of their group: neighbours share more of
/// B where none lies between them.
static std::vector<int64_t> cutNear(ArrayRef<int64_t> sums, int64_t workers,
                                    int64_t most, int64_t group) {
  const int64_t total = sums.back();
  const int64_t piece = std::max<int64_t>({total / workers / 2, most, 1});
  std::vector<int64_t> offsets{0};
  for (int64_t p = 1; p < workers; ++p) {
    const auto share = int64_t(__int128(total) * p / workers);
    const int64_t *next = std::upper_bound(sums.begin(), sums.end(), share);
    const int64_t begin = next[-1], length = *next - begin;
    const int64_t pieces = length > most ? (length - 1) / piece + 1 : 1;
    // The piece's end that is nearest.
    const auto ends =
        int64_t((__int128(share - begin) * pieces * 2 + length) / (2 * length));
    const auto cut = begin + int64_t(__int128(length) * ends / pieces);
    if (cut > offsets.back() && cut < total)
      offsets.push_back(cut);
    if (group && p % group == 0)
      offsets.resize(size_t(p) + 1, offsets.back());
  }
  offsets.resize(size_t(workers) + 1, total);
  return offsets;
}

std::vector<int64_t> astfe::core::assignWhole(ArrayRef<int64_t> prefixSums,
                                              int64_t workers, int64_t itemCost,
                                              Slack slack) {
  assert(!prefixSums.empty() && prefixSums[0] == 0 && "expected prefix sums");
  workers = std::max<int64_t>(workers, 1);
  const std::vector<int64_t> costs = withCosts(prefixSums, itemCost);
  const int64_t total = costs.back(),
                mean = total / workers + (total % workers != 0);
  const auto whole =
      int64_t(double(prefixSums.back()) * slack.whole / double(workers)) +
      itemCost;
  Chains chains(costs, workers);
  std::vector<int64_t> offsets =
      double(chains.leastBottleneck()) <= double(mean) * (1 + slack.share)
          ? offsetsOf(costs, chains.best())
          : cutNear(costs, workers, whole, slack.group);
  return withoutCosts(prefixSums, costs, itemCost, std::move(offsets));
}

double astfe::core::imbalance(ArrayRef<int64_t> offsets) {
  if (offsets.size() < 2 || offsets.back() == offsets.front())
    return 1;
  int64_t largest = 0;
  for (size_t p = 1; p < offsets.size(); ++p)
    largest = std::max(largest, offsets[p] - offsets[p - 1]);
  double mean =
      double(offsets.back() - offsets.front()) / double(offsets.size() - 1);
  return double(largest) / mean;
}
