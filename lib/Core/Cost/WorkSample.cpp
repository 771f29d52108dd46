//===- WorkSample.cpp - the nonzeros that work is counted on -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost/WorkSample.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Cost/TouchedRows.h"
#include "Tensor/Nonzeros.h"
#include "Tensor/RowMajor.h"
#include <optional>

namespace astfe::core {
namespace {

/// One group for rows in one part: what groups are is nothing to them.
void cutIntoChunks(SortedNonzeros &nonzeros) {
  for (int64_t i = rules::kSampleChunk; i < nonzeros.count();
       i += rules::kSampleChunk) {
    while (i < nonzeros.count() &&
           nonzeros.row[size_t(i)] == nonzeros.row[size_t(i) - 1])
      ++i;
    if (i < nonzeros.count())
      nonzeros.chunks.push_back({i, 0});
  }
}

/// The runs of `threads` threads, or parts of them that hold about `sample`
/// nonzeros together.
std::vector<Stretch> stretchesOf(const SortedNonzeros &nonzeros,
                                 int64_t threads, int64_t sample) {
  const int64_t count = nonzeros.count();
  const int64_t each =
      sample < count ? std::max(rules::kSampleStretches / threads, int64_t(1))
                     : 1;
  const int64_t stretches = threads * each;
  std::vector<Stretch> result;
  size_t chunk = 0;
  auto chunkFrom = [&](int64_t nonzero) {
    while (chunk < nonzeros.chunks.size() &&
           nonzeros.chunks[chunk].begin < nonzero)
      ++chunk;
    return chunk;
  };
  for (int64_t s = 0; s < stretches; ++s) {
    const auto begin = int64_t(__int128(count) * s / stretches);
    const auto end = int64_t(__int128(count) * (s + 1) / stretches);
    const int64_t left = std::max<int64_t>(end - begin - sample / stretches, 0);
    const size_t first = chunkFrom(begin + left / 2);
    result.push_back({first, chunkFrom(end - (left - left / 2)), s / each});
  }
  return result;
}

/// Nonzeros in stretches.
int64_t nonzerosOf(const SortedNonzeros &nonzeros,
                   const std::vector<Stretch> &stretches) {
  auto beginOf = [&](size_t chunk) {
    return chunk < nonzeros.chunks.size() ? nonzeros.chunks[chunk].begin
                                          : nonzeros.count();
  };
  int64_t sum = 0;
  for (const Stretch &stretch : stretches)
    sum += beginOf(stretch.last) - beginOf(stretch.first);
  return sum;
}

Work countDistinct(const SortedNonzeros &nonzeros, int64_t rows,
                   int64_t columns, int64_t threads) {
  TouchedRows distinct(rows, columns);
  for (int64_t thread = 0, i = 0; thread < threads; ++thread) {
    const auto end =
        int64_t(__int128(nonzeros.count()) * (thread + 1) / threads);
    for (; i < end; ++i) {
      distinct.write(nonzeros.row[size_t(i)], int32_t(thread));
      distinct.read(nonzeros.column[size_t(i)], int32_t(thread));
    }
  }
  return distinct.work;
}

/// The rows of Csr in the order of a space by rows, without sorting anything.
class RowsInOrder {
public:
  RowsInOrder(const SparseView &view, const Space &space) : view(view) {
    if (!space.permutations.empty())
      numbers = space.permutations[0];
    if (!numbers.empty())
      renumbered.emplace(view.positions, numbers);
  }

  /// Row `place` of the order, as the caller numbers it.
  int64_t row(int64_t place) const {
    return renumbered ? renumbered->oldNumber(size_t(place)) : place;
  }

  /// The first place with at least `nonzeros` nonzeros before it.
  int64_t startingAt(int64_t nonzeros) const {
    if (renumbered)
      return int64_t(renumbered->startingAt(nonzeros));
    int64_t low = 0, high = view.shape[0];
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (view.positions[middle] < nonzeros)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  const SparseView &view;
  ArrayRef<int64_t> numbers; ///< new ones of rows; empty: as they are

private:
  std::optional<NewRows> renumbered;
};

/// What countDistinct counts, of rows in their order.
Work countDistinctInRows(const RowsInOrder &rows, int64_t threads) {
  const SparseView &view = rows.view;
  TouchedRows distinct(view.shape[0], view.shape[1]);
  const int64_t count = view.nonzeros();
  withEntries(view.coordinates[0], [&](const auto *columns) {
    int64_t place = 0, row = rows.row(0), next = view.positions[row];
    for (int64_t thread = 0, i = 0; thread < threads; ++thread) {
      const auto last = int64_t(__int128(count) * (thread + 1) / threads);
      while (i < last) {
        while (next == view.positions[row + 1]) {
          row = rows.row(++place);
          next = view.positions[row];
        }
        const int64_t end =
            std::min(next + last - i, int64_t(view.positions[row + 1]));
        distinct.write(row, int32_t(thread));
        i += end - next;
        for (; next < end; ++next)
          distinct.read(int64_t(columns[next]), int32_t(thread));
      }
    }
  });
  return distinct.work;
}

/// Adds the rows at places [begin, end) in chunks; false where columns do not
/// ascend in a row.
template <typename Index>
bool takeRows(const RowsInOrder &order, const Index *columns, int64_t begin,
              int64_t end, std::vector<int32_t> &rows,
              SortedNonzeros &nonzeros) {
  const IndexArray &positions = order.view.positions;
  auto next = int64_t(rows.size()), chunk = next - rules::kSampleChunk;
  int64_t more = 0;
  for (int64_t place = begin; place < end; ++place) {
    const int64_t row = order.row(place);
    more += positions[row + 1] - positions[row];
  }
  rows.resize(size_t(next + more));
  nonzeros.column.resize(rows.size());
  bool ascends = true;
  for (int64_t place = begin; place < end; ++place) {
    const int64_t row = order.row(place);
    const int64_t from = positions[row], to = positions[row + 1];
    if (from < to && next - chunk >= rules::kSampleChunk)
      nonzeros.chunks.push_back({chunk = next, 0});
    for (int64_t k = from; k < to; ++k, ++next) {
      ascends &= k == from || columns[k - 1] <= columns[k];
      rows[size_t(next)] = int32_t(row);
      nonzeros.column[size_t(next)] = int32_t(columns[k]);
    }
  }
  return ascends;
}

/// A sample of rows in their order, without a look at the others; none where
/// these are not sorted.
std::optional<Sample> sampleRows(const RowsInOrder &order, int64_t threads,
                                 int64_t sample) {
  Sample result;
  std::vector<int32_t> rows;
  const int64_t count = order.view.nonzeros();
  const int64_t each = std::max(rules::kSampleStretches / threads, int64_t(1));
  const int64_t stretches = threads * each;
  for (int64_t s = 0; s < stretches; ++s) {
    const auto begin = int64_t(__int128(count) * s / stretches);
    const auto end = int64_t(__int128(count) * (s + 1) / stretches);
    const int64_t left = std::max<int64_t>(end - begin - sample / stretches, 0);
    const size_t first = result.nonzeros.chunks.size();
    const int64_t from = order.startingAt(begin + left / 2);
    const int64_t to = order.startingAt(end - (left - left / 2));
    if (from < to &&
        !withEntries(order.view.coordinates[0], [&](const auto *columns) {
          return takeRows(order, columns, from, to, rows, result.nonzeros);
        }))
      return std::nullopt;
    result.stretches.push_back(
        {first, result.nonzeros.chunks.size(), s / each});
  }
  result.nonzeros.ofMatrix = count;
  result.nonzeros.numbers = order.numbers;
  result.nonzeros.row = Scratch<int32_t>(rows.size());
  std::copy(rows.begin(), rows.end(), result.nonzeros.row.data());
  result.distinct = countDistinctInRows(order, threads);
  return result;
}

} // namespace

Sample sampleOf(const SparseView &view, const Graph &graph, int64_t threads,
                const CountOptions &options) {
  if (view.format == SparseFormat::Csr && graph.space.isByRows() &&
      options.sample < view.nonzeros())
    if (auto rows =
            sampleRows(RowsInOrder(view, graph.space), threads, options.sample))
      if (rows->nonzeros.count() >= options.sample / 2)
        return std::move(*rows);
  Sample result;
  result.nonzeros = sortNonzeros(view, graph, 32, options.threads);
  if (result.nonzeros.chunks.size() == 1 && graph.space.isByRows())
    cutIntoChunks(result.nonzeros);
  // Before rows are repacked: workers are runs of the graph's order.
  result.distinct =
      countDistinct(result.nonzeros, view.shape[0], view.shape[1], threads);
  result.stretches = stretchesOf(result.nonzeros, threads, options.sample);
  // A few long rows may begin in none of them.
  if (nonzerosOf(result.nonzeros, result.stretches) <
      std::min(options.sample, result.nonzeros.count()) / 2)
    result.stretches =
        stretchesOf(result.nonzeros, threads, result.nonzeros.count());
  return result;
}

} // namespace astfe::core
