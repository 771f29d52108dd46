//===- PackPairs.cpp - rows of a window that share columns ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/PackPairs.h"
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

/// Which of the `count` sets after the first has most columns in common with
/// it, the first of several; how many are added to `most`, which is 0.
__attribute__((always_inline)) inline size_t
mostAlike(const Columns *sets, size_t count, int &most) {
  size_t best = 0;
  for (size_t other = 1; other <= count; ++other) {
    int common = 0;
    for (size_t word = 0; word < kWords; ++word)
      common += __builtin_popcountll(sets[0][word] & sets[other][word]);
    if (common > most) {
      most = common;
      best = other;
    }
  }
  return best;
}

size_t mostAlikePlainly(const Columns *sets, size_t count, int &most) {
  return mostAlike(sets, count, most);
}

#if defined(__x86_64__)
/// Bits counted by one instruction.
__attribute__((target("popcnt"))) size_t mostAlikeFast(const Columns *sets,
                                                       size_t count,
                                                       int &most) {
  return mostAlike(sets, count, most);
}
#endif

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
    auto alike = mostAlikePlainly;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt"))
      alike = mostAlikeFast;
#endif
    int most = 0;
    const size_t count = std::min(order.size() - r - 1, kPairCandidates);
    const size_t best = r + alike(&columns[r], count, most);
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
  // Which of two columns is less is anybody's guess, so that there is no branch
  // for it: each is written where it would go.
  first.resize(size_t(a.count()));
  second.resize(size_t(b.count()));
  restOfFirst.resize(first.size());
  restOfSecond.resize(second.size());
  size_t shared = 0, firsts = 0, seconds = 0;
  int64_t i = a.begin, j = b.begin;
  while (i < a.end && j < b.end) {
    const bool less = column[i] < column[j], more = column[j] < column[i];
    first[shared] = restOfFirst[firsts] = i;
    second[shared] = restOfSecond[seconds] = j;
    shared += !less & !more;
    firsts += less;
    seconds += more;
    i += !more;
    j += !less;
  }
  auto finish = [&](std::vector<int64_t> &all, std::vector<int64_t> &rest,
                    size_t count, int64_t next) {
    auto end = std::copy_n(rest.begin(), count, all.begin() + int64_t(shared));
    std::iota(end, all.end(), next);
  };
  finish(first, restOfFirst, firsts, i);
  finish(second, restOfSecond, seconds, j);
}

int64_t sharedOf(const RowRun &a, const RowRun &b, const int32_t *column) {
  int64_t most = std::min(a.count() - 1, b.count()), shared = 0;
  while (shared < most && column[a.begin + shared] == column[b.begin + shared])
    ++shared;
  return shared;
}

} // namespace astfe::core
