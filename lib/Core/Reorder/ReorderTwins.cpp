//===- ReorderTwins.cpp - rows and columns that are alike -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indistinguishable vertices by hashes of their neighbours: C. Ashcraft,
// "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput.
// 16(6), 1995.
//
//===----------------------------------------------------------------------===//

#include "Reorder/ReorderKinds.h"
#include "Tensor/Nonzeros.h"

namespace astfe::core {
namespace {

/// A number for each index of a mode, or 0 for its hubs, which nobody sees.
std::vector<uint64_t> numbersOf(int64_t extent, ArrayRef<int64_t> hubs) {
  std::vector<uint64_t> numbers(static_cast<size_t>(extent));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = mix(i);
  for (int64_t hub : hubs)
    numbers[size_t(hub)] = 0;
  return numbers;
}

/// For rows and for columns, the sum of the numbers of those that they share
/// nonzeros with: 0 for those who have none.
struct Sums {
  std::vector<uint64_t> of[2];

  Sums(const SparseView &view, const Hubs &hubs) {
    const std::vector<uint64_t> rows = numbersOf(view.shape[0], hubs.rows),
                                columns =
                                    numbersOf(view.shape[1], hubs.columns);
    of[0].assign(rows.size(), 0);
    of[1].assign(columns.size(), 0);
    forNonzeros(view, [&](int64_t row, int64_t column) {
      of[0][size_t(row)] += columns[size_t(column)];
      of[1][size_t(column)] += rows[size_t(row)];
    });
  }
};

/// For each index the next one of the same sum, or -1; and whether there is
/// none before it.
struct Twins {
  std::vector<int64_t> next;
  std::vector<bool> isFirst;
  int64_t pairs = 0; ///< of those with nonzeros

  explicit Twins(const std::vector<uint64_t> &sums)
      : next(sums.size(), -1), isFirst(sums.size(), true) {
    // Sums are as good as random: their last bits say where to look for the
    // last index that had the same.
    size_t places = 1;
    while (places < 2 * sums.size())
      places *= 2;
    std::vector<int64_t> lastAt(places, -1);
    for (size_t i = 0; i < sums.size(); ++i) {
      size_t at = sums[i] & (places - 1);
      while (lastAt[at] >= 0 && sums[size_t(lastAt[at])] != sums[i])
        at = (at + 1) & (places - 1);
      if (lastAt[at] >= 0) {
        next[size_t(lastAt[at])] = int64_t(i);
        isFirst[i] = false;
        pairs += sums[i] != 0;
      }
      lastAt[at] = int64_t(i);
    }
  }
  bool areNone() const { return pairs == 0; }
};

/// Hubs, then twins side by side, in the order of the first of each, then those
/// without nonzeros.
std::vector<int64_t> permutationOf(const Twins &twins,
                                   const std::vector<uint64_t> &sums,
                                   ArrayRef<int64_t> hubs) {
  std::vector<int64_t> permutation(sums.size(), -1);
  int64_t place = 0;
  for (int64_t hub : hubs)
    permutation[size_t(hub)] = place++;
  for (bool withNonzeros : {true, false})
    for (size_t first = 0; first < sums.size(); ++first)
      if (twins.isFirst[first] && (sums[first] != 0) == withNonzeros)
        for (auto i = int64_t(first); i >= 0; i = twins.next[size_t(i)])
          if (permutation[size_t(i)] < 0)
            permutation[size_t(i)] = place++;
  return permutation;
}

} // namespace

std::vector<std::vector<int64_t>> permuteByTwins(const SparseView &view,
                                                 const Hubs &hubs) {
  const Sums sums(view, hubs);
  const Twins twins[] = {Twins(sums.of[0]), Twins(sums.of[1])};
  if (hubs.empty() && twins[0].areNone() && twins[1].areNone())
    return {{}, {}};
  return {permutationOf(twins[0], sums.of[0], hubs.rows),
          permutationOf(twins[1], sums.of[1], hubs.columns)};
}

} // namespace astfe::core
