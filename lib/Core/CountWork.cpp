//===- CountWork.cpp - what nonzeros in their order ask of the caches -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views walk rows. Packed patterns are sorted and classified by the stages of
// pack() itself, then walked span by span as their kernels do:
//
//   row segments   row by row
//   scattered      one nonzero after the other
//   dense tiles    four rows at a time use a row of B once
//   row slices     sixteen rows at a time: none is begun, none foreseen
//   row windows    the window's rows of B come once, and stay in L1
//   row pairs      so too, and rows of B that a pair shares are used once
//
//===----------------------------------------------------------------------===//

#include "Nonzeros.h"
#include "PackPairs.h"
#include "PackStages.h"
#include "RowCaches.h"

namespace astfe::core {
namespace {

/// Rows of a dense tile that a kernel takes at a time.
constexpr int64_t kTileRows = 4;
/// Stretches of a sample.
constexpr int64_t kStretches = 4;

/// Counts segments and those of unforeseen lengths.
class Lengths {
public:
  void add(Work &work, int64_t length) {
    ++work.segments;
    work.surprises += length != last;
    last = length;
  }

private:
  int64_t last = 0;
};

/// Walks spans of sorted nonzeros.
class SpanWalk {
public:
  SpanWalk(const SortedNonzeros &nonzeros, int64_t rows, int64_t columns,
           RowCaches &caches)
      : nonzeros(nonzeros), caches(caches), seenRow(size_t(rows), 0),
        seenColumn(size_t(columns), 0) {}

  void walk(const PlannedSpan &span, int64_t end) {
    ++now;
    caches.work.nonzeros += end - span.begin;
    switch (span.kind) {
    case SegmentClass::Scattered:
      return walkScattered(span.begin, end);
    case SegmentClass::DenseTile:
    case SegmentClass::RowTiles:
      return walkTile(span);
    case SegmentClass::RowSlices:
      return walkSlices(span.begin, end);
    case SegmentClass::RowWindows:
      return walkRows(span.begin, end, /*isWindow=*/true);
    case SegmentClass::RowPairs:
      walkRows(span.begin, end, /*isWindow=*/true);
      return countPairs(span.begin, end);
    default:
      return walkRows(span.begin, end, /*isWindow=*/false);
    }
  }

private:
  int32_t row(int64_t i) const { return nonzeros.row[size_t(i)]; }
  int32_t column(int64_t i) const { return nonzeros.column[size_t(i)]; }
  void walkRows(int64_t begin, int64_t end, bool isWindow);
  void walkScattered(int64_t begin, int64_t end);
  void countPairs(int64_t begin, int64_t end);
  void walkTile(const PlannedSpan &span);
  void walkSlices(int64_t begin, int64_t end);

  const SortedNonzeros &nonzeros;
  RowCaches &caches;
  /// The last span that a row began in, and a column of a window.
  std::vector<uint32_t> seenRow, seenColumn;
  uint32_t now = 0;
  Lengths lengths;
};

void SpanWalk::walkRows(int64_t begin, int64_t end, bool isWindow) {
  for (int64_t i = begin; i < end;) {
    const int64_t first = i;
    caches.output(row(first));
    for (; i < end && row(i) == row(first); ++i) {
      uint32_t &seen = seenColumn[size_t(column(i))];
      if (!isWindow || seen != now)
        caches.input(column(i));
      seen = now;
    }
    lengths.add(caches.work, i - first);
  }
}

void SpanWalk::walkScattered(int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    caches.output(row(i));
    caches.input(column(i));
    lengths.add(caches.work, 1);
  }
}

/// Nonzeros that pairs of rows share.
void SpanWalk::countPairs(int64_t begin, int64_t end) {
  auto rowFrom = [&](int64_t first) {
    int64_t last = first;
    while (last < end && row(last) == row(first))
      ++last;
    return RowRun{first, last};
  };
  while (begin < end) {
    const RowRun first = rowFrom(begin), second = rowFrom(first.end);
    caches.work.paired += 2 * sharedOf(first, second, nonzeros.column.data());
    begin = second.end;
  }
}

void SpanWalk::walkTile(const PlannedSpan &span) {
  int64_t i = span.begin;
  for (int64_t segment = 0; segment < span.segments; ++segment) {
    // Rows are stored one after the other; filled slots are no nonzeros.
    const int64_t first = i;
    const int32_t mine = row(i);
    while (i < nonzeros.count() && row(i) == mine)
      ++i;
    caches.output(mine);
    lengths.add(caches.work, span.width);
    const bool dense = span.kind == SegmentClass::DenseTile;
    for (int64_t j = 0; segment % kTileRows == 0 && j < span.width; ++j)
      caches.input(dense ? span.column + j : column(first + j));
  }
  caches.work.tiled += i - span.begin;
}

void SpanWalk::walkSlices(int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    uint32_t &seen = seenRow[size_t(row(i))];
    if (seen != now)
      caches.output(row(i));
    seen = now;
    caches.input(column(i));
  }
}

/// One group for rows in one part: what groups are is nothing to them.
void cutIntoChunks(SortedNonzeros &nonzeros) {
  constexpr int64_t kChunk = 2048;
  for (int64_t i = kChunk; i < nonzeros.count(); i += kChunk) {
    while (i < nonzeros.count() &&
           nonzeros.row[size_t(i)] == nonzeros.row[size_t(i) - 1])
      ++i;
    if (i < nonzeros.count())
      nonzeros.chunks.push_back({i, 0});
  }
}

/// A run of chunks.
struct Stretch {
  size_t first, last;
  int64_t thread;
};

/// The runs of `threads` threads, or parts of them that hold about `sample`
/// nonzeros together.
std::vector<Stretch> stretchesOf(const SortedNonzeros &nonzeros,
                                 int64_t threads, int64_t sample) {
  const int64_t count = nonzeros.count();
  const int64_t each =
      sample < count ? std::max(kStretches / threads, int64_t(1)) : 1;
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

/// Distinct rows of B and C, and those of C that several threads write.
class Distinct {
public:
  Distinct(int64_t rows, int64_t columns)
      : writer(size_t(rows), -1), reader(size_t(columns), -1) {}

  void read(int64_t column, int32_t thread) { note(reader, column, thread); }
  void write(int64_t row, int32_t thread) {
    const int32_t last = note(writer, row, thread);
    work.shared += last >= 0 && last != thread ? 2 : 0;
  }

  /// Only what is counted here.
  Work work;

private:
  int32_t note(std::vector<int32_t> &last, int64_t index, int32_t thread) {
    int32_t &mine = last[size_t(index)];
    const int32_t before = mine;
    work.rows += before < 0;
    work.threadRows += before != thread;
    mine = thread;
    return before;
  }

  std::vector<int32_t> writer, reader;
};

Work countDistinct(const SortedNonzeros &nonzeros, int64_t rows,
                   int64_t columns, int64_t threads) {
  Distinct distinct(rows, columns);
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

/// Nonzeros in the order in which they run, and those stretches of them that
/// are looked at.
struct Sample {
  SortedNonzeros nonzeros;
  std::vector<Stretch> stretches;
  /// Of all nonzeros, whatever the sample is.
  Work distinct;
};

bool isPlainRows(const Space &space) {
  return space.parts.size() == 1 && space.parts[0].kind == OrderKind::Rows &&
         std::all_of(space.permutations.begin(), space.permutations.end(),
                     [](const auto &numbers) { return numbers.empty(); });
}

/// The first row with at least `nonzeros` nonzeros before it.
int64_t rowFrom(const SparseView &view, int64_t nonzeros) {
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

/// What countDistinct counts, of the rows of Csr as they are.
Work countDistinctInRows(const SparseView &view, int64_t threads) {
  Distinct distinct(view.shape[0], view.shape[1]);
  const int64_t count = view.nonzeros();
  withEntries(view.coordinates[0], [&](const auto *columns) {
    int64_t row = 0;
    for (int64_t thread = 0, i = 0; thread < threads; ++thread) {
      const auto last = int64_t(__int128(count) * (thread + 1) / threads);
      while (i < last) {
        while (view.positions[row + 1] <= i)
          ++row;
        const int64_t end = std::min(last, view.positions[row + 1]);
        distinct.write(row, int32_t(thread));
        for (; i < end; ++i)
          distinct.read(int64_t(columns[i]), int32_t(thread));
      }
    }
  });
  return distinct.work;
}

/// Adds the rows [begin, end) of Csr in chunks; false where columns do not
/// ascend in a row.
template <typename Index>
bool takeRows(const SparseView &view, const Index *columns, int64_t begin,
              int64_t end, std::vector<int32_t> &rows,
              SortedNonzeros &nonzeros) {
  constexpr int64_t kChunk = 2048;
  auto next = int64_t(rows.size()), chunk = next - kChunk;
  const int64_t first = view.positions[begin], last = view.positions[end];
  rows.resize(size_t(next + (last - first)));
  nonzeros.column.resize(rows.size());
  bool ascends = true;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t from = view.positions[row], to = view.positions[row + 1];
    if (from < to && next - chunk >= kChunk)
      nonzeros.chunks.push_back({chunk = next, 0});
    for (int64_t k = from; k < to; ++k, ++next) {
      ascends &= k == from || columns[k - 1] <= columns[k];
      rows[size_t(next)] = int32_t(row);
      nonzeros.column[size_t(next)] = int32_t(columns[k]);
    }
  }
  return ascends;
}

/// A sample of rows as they are, without a look at the others; none where these
/// are not sorted.
std::optional<Sample> sampleRows(const SparseView &view, int64_t threads,
                                 int64_t sample) {
  Sample result;
  std::vector<int32_t> rows;
  const int64_t count = view.nonzeros();
  const int64_t each = std::max(kStretches / threads, int64_t(1));
  const int64_t stretches = threads * each;
  for (int64_t s = 0; s < stretches; ++s) {
    const auto begin = int64_t(__int128(count) * s / stretches);
    const auto end = int64_t(__int128(count) * (s + 1) / stretches);
    const int64_t left = std::max<int64_t>(end - begin - sample / stretches, 0);
    const size_t first = result.nonzeros.chunks.size();
    const int64_t from = rowFrom(view, begin + left / 2);
    const int64_t to = rowFrom(view, end - (left - left / 2));
    if (from < to && !withEntries(
                         view.coordinates[0],
                         [&](const auto *columns) {
                           return takeRows(view, columns, from, to, rows,
                                           result.nonzeros);
                         }))
      return std::nullopt;
    result.stretches.push_back(
        {first, result.nonzeros.chunks.size(), s / each});
  }
  result.nonzeros.row = Scratch<int32_t>(rows.size());
  std::copy(rows.begin(), rows.end(), result.nonzeros.row.data());
  result.distinct = countDistinctInRows(view, threads);
  return result;
}

Sample sampleOf(const SparseView &view, const Graph &graph, int64_t threads,
                const CountOptions &options) {
  if (view.format == SparseFormat::Csr && isPlainRows(graph.space) &&
      options.sample < view.nonzeros())
    if (auto rows = sampleRows(view, threads, options.sample))
      if (rows->nonzeros.count() >= options.sample / 2)
        return std::move(*rows);
  Sample result;
  result.nonzeros = sortNonzeros(view, graph, 32, options.threads);
  if (result.nonzeros.chunks.size() == 1 && graph.space.parts.size() == 1 &&
      graph.space.parts[0].kind == OrderKind::Rows)
    cutIntoChunks(result.nonzeros);
  // Before rows are arranged: workers are runs of the graph's order.
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

/// Of the whole, from a part with `work.nonzeros` of `count`.
void scale(Work &work, int64_t count) {
  const double factor =
      double(count) / double(std::max<int64_t>(work.nonzeros, 1));
  auto grow = [&](int64_t &number) {
    number = int64_t(double(number) * factor);
  };
  for (int64_t *number : {&work.segments, &work.surprises, &work.outputs,
                          &work.tiled, &work.paired})
    grow(*number);
  for (Misses *misses : {&work.b, &work.c})
    for (unsigned level = 0; level < Machine::Caches; ++level) {
      grow(misses->all[level]);
      grow(misses->sequential[level]);
    }
  work.nonzeros = count;
}

/// All threads' work together, of `count` nonzeros; `distinct` is of the whole.
Work together(const Machine &machine, const Product &product,
              std::vector<Work> threads, int64_t count, const Work &distinct) {
  Work all;
  for (const Work &thread : threads)
    all.add(thread);
  scale(all, count);
  all.add(distinct);
  double sum = 0, most = 0;
  for (Work &thread : threads) {
    scale(thread, count);
    thread.add(distinct);
    const double seconds =
        predict(machine, product, thread).seconds - machine.startSeconds;
    sum += seconds;
    most = std::max(most, seconds);
  }
  if (sum > 0)
    all.slowest = most * double(threads.size()) / sum;
  return all;
}

Status checkInput(const SparseView &view, const Graph &graph) {
  if (view.rank() != 2)
    return Error{"expected a matrix but got a tensor of rank " +
                 std::to_string(view.rank())};
  if (view.shape != graph.space.shape)
    return Error{"expected a tensor of the graph's shape but got another"};
  for (int64_t extent : view.shape)
    if (extent > std::numeric_limits<int32_t>::max())
      return Error{"expected extents of at most 2147483647 but got " +
                   std::to_string(extent)};
  return Success();
}

} // namespace

Result<Work> countWork(const Machine &machine, const Product &product,
                       const SparseView &view) {
  if (view.format != SparseFormat::Csr || view.rank() != 2)
    return Error{"expected a matrix by rows"};
  RowCaches caches(machine, product, view.shape[0], view.shape[1]);
  Distinct distinct(view.shape[0], view.shape[1]);
  Lengths lengths;
  const int64_t count = view.nonzeros();
  int64_t thread = 0;
  for (int64_t i = 0; i < view.shape[0]; ++i) {
    const int64_t begin = view.positions[i], end = view.positions[i + 1];
    if (begin == end)
      continue;
    // Threads have equal runs of nonzeros.
    if (thread < machine.threads && begin >= count * thread / machine.threads) {
      ++thread;
      caches.beginThread();
    }
    caches.work.nonzeros += end - begin;
    caches.output(i);
    distinct.write(i, int32_t(thread));
    for (int64_t k = begin; k < end; ++k) {
      caches.input(view.coordinates[0][k]);
      distinct.read(view.coordinates[0][k], int32_t(thread));
    }
    lengths.add(caches.work, end - begin);
  }
  return together(machine, product, caches.finish(), count, distinct.work);
}

Result<Work> countWork(const Machine &machine, const Product &product,
                       const SparseView &view, const Graph &graph,
                       const CountOptions &options) {
  if (Status status = checkInput(view, graph); !status)
    return status.error();
  if (view.nonzeros() == 0)
    return Work();
  Sample sample = sampleOf(view, graph, machine.threads, options);
  SortedNonzeros &nonzeros = sample.nonzeros;
  PackOptions packing;
  packing.layout.classes = product.classes();
  packing.windowColumns = product.windowColumns();
  const int64_t rows = view.shape[0], columns = view.shape[1];
  RowCaches caches(machine, product, rows, columns);
  SpanWalk walk(nonzeros, rows, columns, caches);
  Scratch<int64_t> moved(static_cast<size_t>(nonzeros.count()));
  int64_t thread = -1;
  for (const Stretch &stretch : sample.stretches) {
    if (stretch.first == stretch.last)
      continue;
    if (stretch.thread != thread)
      caches.beginThread();
    thread = stretch.thread;
    const int64_t end = nonzeros.chunkEnd(stretch.last - 1);
    std::vector<PlannedSpan> spans =
        classify(nonzeros, stretch.first, stretch.last, packing.layout,
                 packing.maxSpanSlots);
    arrange(nonzeros, end, columns, packing, spans, moved.data());
    for (size_t s = 0; s < spans.size(); ++s)
      walk.walk(spans[s], s + 1 < spans.size() ? spans[s + 1].begin : end);
  }
  return together(machine, product, caches.finish(), view.nonzeros(),
                  sample.distinct);
}

} // namespace astfe::core
