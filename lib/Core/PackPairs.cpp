//===- PackPairs.cpp - rows of a window that share columns ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackPairs.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace astfe::core {
namespace {

/// Rows that a row may choose from.
constexpr size_t kPairCandidates = 32;
/// One in so many nonzeros is read together with another's, and so many of each
/// pair on average, or the loop that a pair has more than two rows costs what
/// the reads save (measured: nine a pair make pruned layers 1.2 times as fast,
/// three 0.93).
constexpr int64_t kLeastSharing = 6, kLeastShared = 5;

/// So often the share is looked at: longer rows come first and have more to
/// choose from, so that it falls from there on.
constexpr size_t kTrialRows = 32;

constexpr size_t kWords = size_t(kWidestWindow + 63) / 64;
/// The columns of a row in its window.
using Columns = std::array<uint64_t, kWords>;

Columns columnsOf(const RowRun &row, const int32_t *column,
                  int64_t firstColumn) {
  Columns columns{};
  for (int64_t i = row.begin; i < row.end; ++i) {
    auto at = size_t(column[i] - firstColumn);
    columns[at / 64] |= uint64_t(1) << at % 64;
  }
  return columns;
}

int common(const Columns &a, const Columns &b) {
  int count = 0;
  for (size_t word = 0; word < kWords; ++word)
    count += llvm::popcount(a[word] & b[word]);
  return count;
}

/// Rows in the order in which they choose.
class Matcher {
public:
  Matcher(const std::vector<RowRun> &rows, const int32_t *column,
          int64_t firstColumn)
      : order(rows.size()) {
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return rows[a].count() != rows[b].count()
                 ? rows[a].count() > rows[b].count()
                 : a < b;
    });
    for (size_t row : order)
      columns.push_back(columnsOf(rows[row], column, firstColumn));
  }

  /// Moves the row that shares most with the one at `r` behind it; the result
  /// is how much.
  int choose(size_t r) {
    int most = 0;
    size_t best = 0, end = std::min(order.size(), r + 1 + kPairCandidates);
    for (size_t other = r + 1; other < end; ++other)
      if (int count = common(columns[r], columns[other]); count > most) {
        most = count;
        best = other;
      }
    if (most != 0) {
      std::swap(order[r + 1], order[best]);
      std::swap(columns[r + 1], columns[best]);
    }
    return most;
  }

  std::vector<size_t> order;

private:
  std::vector<Columns> columns;
};

} // namespace

Pairing pairRows(const std::vector<RowRun> &rows, const int32_t *column,
                 int64_t firstColumn) {
  Matcher matcher(rows, column, firstColumn);
  Pairing result;
  int64_t nonzeros = 0, shared = 0;
  auto isEnough = [&] {
    return kLeastSharing * shared >= nonzeros &&
           2 * shared >= kLeastShared * int64_t(result.paired.size());
  };
  for (size_t r = 0; r < rows.size(); ++r) {
    const size_t row = matcher.order[r];
    nonzeros += rows[row].count();
    // Of a row with one nonzero nothing would be left.
    const int count = rows[row].count() > 1 ? matcher.choose(r) : 0;
    if (count == 0) {
      result.single.push_back(row);
      continue;
    }
    const size_t other = matcher.order[++r];
    nonzeros += rows[other].count();
    shared += count;
    result.paired.insert(result.paired.end(), {row, other});
    if (result.paired.size() % kTrialRows == 0 && !isEnough())
      return {};
  }
  return isEnough() ? result : Pairing();
}

void SharedFirst::split(const RowRun &a, const RowRun &b,
                        const int32_t *column) {
  first.clear();
  second.clear();
  std::vector<int64_t> restOfFirst, restOfSecond;
  int64_t i = a.begin, j = b.begin;
  while (i < a.end && j < b.end)
    if (column[i] < column[j])
      restOfFirst.push_back(i++);
    else if (column[j] < column[i])
      restOfSecond.push_back(j++);
    else {
      first.push_back(i++);
      second.push_back(j++);
    }
  first.insert(first.end(), restOfFirst.begin(), restOfFirst.end());
  second.insert(second.end(), restOfSecond.begin(), restOfSecond.end());
  for (; i < a.end; ++i)
    first.push_back(i);
  for (; j < b.end; ++j)
    second.push_back(j);
}

int64_t sharedOf(const RowRun &a, const RowRun &b, const int32_t *column) {
  int64_t most = std::min(a.count() - 1, b.count()), shared = 0;
  while (shared < most && column[a.begin + shared] == column[b.begin + shared])
    ++shared;
  return shared;
}

} // namespace astfe::core
