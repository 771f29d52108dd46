//===- CountWork.cpp - what nonzeros in their order ask of the caches -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views walk rows. Packed patterns are sorted and classified by the stages of
// pack() itself, then walked span by span as their kernels do: each class says
// in which pattern of access (Pack/Classes/SpanWalker.h).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Cost/RowCaches.h"
#include "Cost/TouchedRows.h"
#include "Cost/WorkSample.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/SpanWalker.h"

namespace astfe::core {
namespace {

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
class CacheWalker final : public SpanWalker {
public:
  CacheWalker(const SortedNonzeros &nonzeros, int64_t rows, int64_t columns,
              RowCaches &caches)
      : sorted(nonzeros), caches(caches), seenRow(size_t(rows), 0),
        seenColumn(size_t(columns), 0) {}

  void walk(const PlannedSpan &span, int64_t end) {
    ++now;
    caches.work.nonzeros += end - span.begin;
    blockClass(span.kind).walk(*this, span, end);
  }

  void rows(int64_t begin, int64_t end) override {
    walkRows(begin, end, /*isWindow=*/false);
  }
  void rowsOfWindow(int64_t begin, int64_t end) override {
    walkRows(begin, end, /*isWindow=*/true);
  }
  void nonzeros(int64_t begin, int64_t end) override;
  void interleaved(int64_t begin, int64_t end) override;
  void tile(const PlannedSpan &span, bool implicit) override;

private:
  int32_t row(int64_t i) const { return sorted.row[size_t(i)]; }
  int32_t column(int64_t i) const { return sorted.column[size_t(i)]; }
  void walkRows(int64_t begin, int64_t end, bool isWindow);

  const SortedNonzeros &sorted;
  RowCaches &caches;
  /// The last span that a row began in, and a column of a window.
  std::vector<uint32_t> seenRow, seenColumn;
  uint32_t now = 0;
  Lengths lengths;
};

void CacheWalker::walkRows(int64_t begin, int64_t end, bool isWindow) {
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

void CacheWalker::nonzeros(int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    caches.output(row(i));
    caches.input(column(i));
    lengths.add(caches.work, 1);
  }
}

void CacheWalker::tile(const PlannedSpan &span, bool implicit) {
  int64_t i = span.begin;
  for (int64_t segment = 0; segment < span.segments; ++segment) {
    // Rows are stored one after the other; filled slots are no nonzeros.
    const int64_t first = i;
    const int32_t mine = row(i);
    while (i < sorted.count() && row(i) == mine)
      ++i;
    caches.output(mine);
    lengths.add(caches.work, span.width);
    for (int64_t j = 0; segment % rules::kTileRows == 0 && j < span.width; ++j)
      caches.input(implicit ? span.column + j : column(first + j));
  }
  caches.work.tiled += i - span.begin;
}

void CacheWalker::interleaved(int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    uint32_t &seen = seenRow[size_t(row(i))];
    if (seen != now)
      caches.output(row(i));
    seen = now;
    caches.input(column(i));
  }
}

/// Of the whole, from a part with `work.nonzeros` of `count`.
void scale(Work &work, int64_t count) {
  const double factor =
      double(count) / double(std::max<int64_t>(work.nonzeros, 1));
  auto grow = [&](int64_t &number) {
    number = int64_t(double(number) * factor);
  };
  for (int64_t *number :
       {&work.segments, &work.surprises, &work.outputs, &work.tiled})
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
  TouchedRows distinct(view.shape[0], view.shape[1]);
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
  packing.layout.windowColumns = product.windowColumns();
  packing.layout.denseBytes = product.columns == 1 ? 0 : product.denseBytes();
  const int64_t rows = view.shape[0], columns = view.shape[1];
  RowCaches caches(machine, product, rows, columns);
  CacheWalker walker(nonzeros, rows, columns, caches);
  Scratch<int64_t> moved(static_cast<size_t>(nonzeros.count()));
  SpanRoom room;
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
                 packing.maxSpanSlots, room);
    repack(nonzeros, end, columns, packing, spans, moved.data(), room);
    for (size_t s = 0; s < spans.size(); ++s)
      walker.walk(spans[s], s + 1 < spans.size() ? spans[s + 1].begin : end);
  }
  return together(machine, product, caches.finish(), view.nonzeros(),
                  sample.distinct);
}

} // namespace astfe::core
