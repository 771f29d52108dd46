//===- Duplicates.cpp - coordinates that occur twice ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor/Duplicates.h"
#include "Support/StableSort.h"
#include <cmath>

namespace astfe::core {
namespace {

/// True where entry i comes strictly before its successor, for all i, when
/// modes are compared from the first (or, `reversed`, from the last).
bool strictlyAscending(const CooTensor &tensor, bool reversed) {
  size_t rank = tensor.coordinates.size();
  for (int64_t i = 1; i < tensor.nonzeros(); ++i) {
    int64_t difference = 0;
    for (size_t k = 0; k < rank && difference == 0; ++k) {
      const auto &mode = tensor.coordinates[reversed ? rank - 1 - k : k];
      difference = mode[size_t(i)] - mode[size_t(i - 1)];
    }
    if (difference <= 0)
      return false;
  }
  return true;
}

/// Entries by coordinates; equal ones in file order.
std::vector<int64_t> sortedEntries(const CooTensor &tensor) {
  std::vector<int64_t> order = identityOrder(tensor.nonzeros());
  for (size_t k = tensor.coordinates.size(); k-- > 0;) {
    const int64_t *mode = tensor.coordinates[k].data();
    uint64_t largest = tensor.shape[k] > 0 ? uint64_t(tensor.shape[k] - 1) : 0;
    stableSortBy(order, largest,
                 [mode](int64_t i) { return uint64_t(mode[i]); });
  }
  return order;
}

bool sameCoordinates(const CooTensor &tensor, int64_t a, int64_t b) {
  for (const auto &mode : tensor.coordinates)
    if (mode[size_t(a)] != mode[size_t(b)])
      return false;
  return true;
}

void addWrapping(int64_t &sum, int64_t number) {
  sum = int64_t(uint64_t(sum) + uint64_t(number));
}

/// Whether the sum of entry `i` is an integer of so many bits. Its double is
/// off by little, and by 2^64 or more where the sum in 64 bits has wrapped.
bool sumFits(const CooTensor &tensor, size_t i, unsigned bits) {
  const double sum = tensor.values[i];
  if (!tensor.integers.empty())
    return std::fabs(sum - double(tensor.integers[i])) < 0x1p63;
  const double limit = std::ldexp(1, int(bits) - 1);
  return sum >= -limit && sum < limit;
}

bool surelyDistinct(const CooTensor &tensor) {
  return strictlyAscending(tensor, false) || strictlyAscending(tensor, true);
}

} // namespace

std::optional<DuplicatePair> findDuplicate(const CooTensor &tensor) {
  if (surelyDistinct(tensor))
    return std::nullopt;
  std::optional<DuplicatePair> found;
  std::vector<int64_t> order = sortedEntries(tensor);
  for (size_t i = 1; i < order.size(); ++i)
    if (sameCoordinates(tensor, order[i - 1], order[i]) &&
        (!found || order[i] < found->second))
      found = {order[i - 1], order[i]};
  return found;
}

std::optional<int64_t> sumDuplicates(CooTensor &tensor, unsigned integerBits) {
  if (surelyDistinct(tensor))
    return std::nullopt;
  std::vector<int64_t> order = sortedEntries(tensor);
  std::vector<bool> dropped(order.size(), false);
  int64_t first = order.empty() ? 0 : order.front();
  for (size_t i = 1; i < order.size(); ++i) {
    if (!sameCoordinates(tensor, first, order[i])) {
      first = order[i];
      continue;
    }
    tensor.values[size_t(first)] += tensor.values[size_t(order[i])];
    if (!tensor.imaginaries.empty())
      tensor.imaginaries[size_t(first)] += tensor.imaginaries[size_t(order[i])];
    if (!tensor.integers.empty())
      addWrapping(tensor.integers[size_t(first)],
                  tensor.integers[size_t(order[i])]);
    dropped[size_t(order[i])] = true;
  }
  for (size_t i = 0; i < dropped.size() && integerBits > 1; ++i)
    if (!dropped[i] && !sumFits(tensor, i, integerBits))
      return int64_t(i);
  size_t kept = 0;
  for (size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i])
      continue;
    for (auto &mode : tensor.coordinates)
      mode[kept] = mode[i];
    if (!tensor.imaginaries.empty())
      tensor.imaginaries[kept] = tensor.imaginaries[i];
    if (!tensor.integers.empty())
      tensor.integers[kept] = tensor.integers[i];
    tensor.values[kept++] = tensor.values[i];
  }
  if (!tensor.imaginaries.empty())
    tensor.imaginaries.resize(kept);
  if (!tensor.integers.empty())
    tensor.integers.resize(kept);
  for (auto &mode : tensor.coordinates)
    mode.resize(kept);
  tensor.values.resize(kept);
  return std::nullopt;
}

} // namespace astfe::core
