//===- PackSort.cpp - nonzeros by group, window, row and column -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the input is sorted by already needs no pass. CSR whose rows ascend:
//
//   order `rows`, nothing permuted   groups are runs of the input: found by
//                                    binary search, nothing moves
//   any other graph                  the group of each nonzero is found and
//                                    counted, then each moves to its group,
//                                    rows taken in the graph's order
//
// Other inputs move to their groups in the caller's order and are sorted inside
// of them (PackOrder.cpp).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Pack/ColumnRun.h"
#include "Pack/PackOrder.h"
#include "Tensor/RowMajor.h"
#include <atomic>

namespace astfe::core {
namespace {

/// Nonzeros in a piece of a parallel loop.
constexpr int64_t kPiece = int64_t(1) << 16;
/// The most pieces that count and move nonzeros by themselves.
constexpr int64_t kMostPieces = 64;

class Sorter {
public:
  Sorter(const SparseView &view, const Graph &graph, unsigned columnBits,
         unsigned threads)
      : view(view), graph(graph), threads(threads), count(view.nonzeros()),
        columnBits(view.shape[1] <= int64_t(1) << columnBits ? 32
                                                             : columnBits) {}

  SortedNonzeros run();

private:
  bool followsRows() const;
  bool runsOfInput();
  int64_t endOfRow(int64_t first, int64_t end) const;
  bool cutByColumns(ArrayRef<int64_t> starts);
  bool areWindows(ArrayRef<int64_t> starts);
  bool copyInput();
  bool ascends(int64_t begin, int64_t end) const;
  int64_t rankOf(int64_t row, int64_t column) const;
  void findBuckets();
  void splitWindows();
  int64_t pieceBegin(int64_t piece) const {
    return int64_t(__int128(count) * piece / pieces);
  }
  void countBuckets();
  void beginBuckets();
  template <typename Record>
  void moveToBuckets(Record record);
  void moveInOrder();
  void moveByNewRows();
  void moveUnsorted();

  const SparseView &view;
  const Graph &graph;
  unsigned threads;
  int64_t count;
  unsigned columnBits; ///< 32 where all columns are one window
  SortedNonzeros result;

  /// The bucket of each nonzero: its group, or its group's window.
  Scratch<uint32_t> bucket{0};
  Windows windows;
  size_t buckets = 1;
  /// Pieces of the input, and for each of them and each bucket how many
  /// nonzeros it has there; then where they go.
  int64_t pieces = 1;
  std::vector<int64_t> places;
  /// Where each bucket begins, and the end.
  std::vector<int64_t> begins;
};

/// Calls body(first, rows, columns, size) for stretches of [begin, end).
template <typename Body>
void forCoordinates(const SparseView &view, int64_t begin, int64_t end,
                    Body body) {
  auto run = [&](auto index) {
    for (NonzeroBatches<decltype(index)> s(view, begin, end); s.next();)
      body(s.first(), s.coordinates()[0], s.coordinates()[1], s.size());
  };
  if (isNarrow(view))
    run(int32_t());
  else
    run(int64_t());
}

ArrayRef<int64_t> rowNumbers(const Space &space) {
  return space.permutations.empty() ? ArrayRef<int64_t>()
                                    : ArrayRef<int64_t>(space.permutations[0]);
}

/// True where the order of the input is the graph's: rows, as they are.
bool Sorter::followsRows() const {
  return !graph.space.isRenumbered() &&
         (graph.groupCount() <= 1 || graph.space.isByRows());
}

/// Whether each of the copied nonzeros [begin, end), begin > 0, is not before
/// the one in front of it, by rows and columns.
bool Sorter::ascends(int64_t begin, int64_t end) const {
  const int32_t *row = result.row.data(), *column = result.column.data();
  int32_t descents = 0;
  for (int64_t i = begin; i < end; ++i)
    descents |= int32_t(row[i] < row[i - 1]) |
                int32_t((row[i] == row[i - 1]) & (column[i] < column[i - 1]));
  return descents == 0;
}

/// Copies rows and columns; returns whether the nonzeros are sorted by them.
bool Sorter::copyInput() {
  std::atomic<bool> sorted{true};
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t piece) {
    const int64_t begin = piece * kPiece, end = std::min(count, begin + kPiece);
    forCoordinates(view, begin, end,
                   [&](int64_t first, auto *rows, auto *columns, int64_t size) {
                     for (int64_t i = 0; i < size; ++i) {
                       result.row[size_t(first + i)] = int32_t(rows[i]);
                       result.column[size_t(first + i)] = int32_t(columns[i]);
                     }
                     if (!ascends(std::max(first, begin + 1), first + size))
                       sorted = false;
                   });
  });
  for (int64_t begin = kPiece; begin < count && sorted; begin += kPiece)
    sorted = ascends(begin, begin + 1);
  return sorted;
}

/// How many of the copied nonzeros, which are sorted, come before (row,
/// column), which may lie outside of the shape.
int64_t Sorter::rankOf(int64_t row, int64_t column) const {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (std::make_pair(int64_t(result.row[size_t(middle)]),
                       int64_t(result.column[size_t(middle)])) <
        std::make_pair(row, column))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Groups that are runs of the input, whose columns are of a window, or of one
/// after the other.
bool Sorter::runsOfInput() {
  std::vector<int64_t> starts{0};
  for (size_t group = 1; group < graph.groupCount(); ++group) {
    Box box = graph.box(size_t(graph.groups[group]));
    int64_t start = rankOf(box.lower[0], box.lower[1]);
    if (start > starts.back())
      starts.push_back(start);
    if (start == count)
      break;
  }
  if (starts.back() != count)
    starts.push_back(count);
  if (columnBits == 32) {
    for (size_t i = 0; i + 1 < starts.size(); ++i)
      result.chunks.push_back({starts[i], 0});
    return true;
  }
  return cutByColumns(starts) || areWindows(starts);
}

/// The end of the row of the copied nonzero `first`, or `end` before it.
int64_t Sorter::endOfRow(int64_t first, int64_t end) const {
  const int32_t row = result.row[size_t(first)];
  if (view.format == SparseFormat::Csr)
    return std::min(end, int64_t(view.positions[row + 1]));
  while (first < end && result.row[size_t(first)] == row)
    ++first;
  return first;
}

/// Chunks of the groups that begin at `starts`, and where the columns of rows
/// outgrow a window: chunks that are in the same run of rows count columns from
/// the same one, so that rows of several groups are stored together. False, and
/// no chunks, where a row does not fit, or runs are short.
bool Sorter::cutByColumns(ArrayRef<int64_t> starts) {
  ColumnRun run(columnBits);
  int64_t runs = 1;
  size_t firstChunk = 0; // of the run
  auto endRun = [&](int64_t column, size_t chunks) {
    for (; firstChunk < chunks; ++firstChunk)
      result.chunks[firstChunk].firstColumn = int32_t(column);
  };
  for (size_t group = 0; group + 1 < starts.size(); ++group) {
    result.chunks.push_back({starts[group], 0});
    for (int64_t i = starts[group]; i < starts[group + 1];) {
      const int64_t row = i;
      i = endOfRow(row, starts[group + 1]);
      // Columns ascend in a row.
      const int32_t first = result.column[size_t(row)];
      const int32_t last = result.column[size_t(i) - 1];
      const int64_t column = run.firstColumn();
      const bool fits = run.fits(first, last);
      const bool begins = fits && run.add(first, last);
      runs += begins;
      if (!fits || runs > ColumnRun::most(count)) {
        result.chunks.clear();
        return false;
      }
      if (!begins)
        continue;
      const bool beginsGroup = row == result.chunks.back().begin;
      endRun(column, result.chunks.size() - size_t(beginsGroup));
      if (!beginsGroup)
        result.chunks.push_back({row, 0});
    }
  }
  endRun(run.firstColumn(), result.chunks.size());
  return true;
}

/// Chunks of the groups, if the columns of each are of one window.
bool Sorter::areWindows(ArrayRef<int64_t> starts) {
  for (size_t group = 0; group + 1 < starts.size(); ++group) {
    auto [smallest, largest] =
        std::minmax_element(result.column.begin() + starts[group],
                            result.column.begin() + starts[group + 1]);
    if (!ColumnRun(columnBits).fits(*smallest, *largest)) {
      result.chunks.clear();
      return false;
    }
    result.chunks.push_back({starts[group], *smallest});
  }
  return true;
}

SortedNonzeros Sorter::run() {
  result.row = Scratch<int32_t>(size_t(count));
  result.numbers = rowNumbers(graph.space);
  result.column.resize(size_t(count));
  const bool follows = view.format != SparseFormat::Csc && followsRows();
  const bool byRows = follows ? copyInput() : isRowMajor(view, threads);
  if (byRows && follows && runsOfInput())
    return std::move(result);
  findBuckets();
  if (!byRows || (windows.tooMany() || (view.format != SparseFormat::Csr &&
                                        !rowNumbers(graph.space).empty()))) {
    countBuckets();
    beginBuckets();
    moveUnsorted();
    return std::move(result);
  }
  result.place.resize(size_t(count));
  if (rowNumbers(graph.space).empty()) {
    countBuckets();
    beginBuckets();
    moveInOrder();
  } else {
    moveByNewRows();
  }
  for (size_t b = 0; b < buckets; ++b)
    if (begins[b] < begins[b + 1])
      result.chunks.push_back({begins[b], windows.firstColumn(b)});
  return std::move(result);
}

void Sorter::findBuckets() {
  bucket = Scratch<uint32_t>(size_t(count));
  buckets = std::max<size_t>(graph.groupCount(), 1);
  NonzeroEncoder encoder(view, graph.space);
  GroupFinder finder(graph);
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t piece) {
    int64_t end = std::min(count, (piece + 1) * kPiece);
    if (buckets == 1) {
      std::fill(bucket.data() + piece * kPiece, bucket.data() + end, 0);
      return;
    }
    encoder.forEach(piece * kPiece, end,
                    [&](int64_t first, int64_t size, const uint32_t *parts,
                        const uint64_t *keys) {
                      finder.find(parts, keys, size, bucket.data() + first);
                    });
  });
  if (columnBits < 32)
    splitWindows();
  // As many pieces as keep the counts below the nonzeros' own size.
  pieces = std::clamp<int64_t>(count / kPiece, 1, kMostPieces);
  pieces = std::clamp<int64_t>(count / int64_t(buckets), 1, pieces);
}

/// Where windows are not too many they become the buckets.
void Sorter::splitWindows() {
  windows = Windows(columnBits, buckets);
  forCoordinates(
      view, 0, count, [&](int64_t first, auto *, auto *columns, int64_t size) {
        for (int64_t i = 0; i < size; ++i)
          windows.include(bucket[size_t(first + i)], int32_t(columns[i]));
      });
  windows.number(count);
  if (windows.tooMany())
    return;
  buckets = windows.count();
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t piece) {
    int64_t end = std::min(count, (piece + 1) * kPiece);
    forCoordinates(view, piece * kPiece, end,
                   [&](int64_t first, auto *, auto *columns, int64_t size) {
                     for (int64_t i = 0; i < size; ++i) {
                       uint32_t &mine = bucket[size_t(first + i)];
                       mine = windows.find(mine, int32_t(columns[i]));
                     }
                   });
  });
}

void Sorter::countBuckets() {
  places.assign(size_t(pieces) * buckets, 0);
  parallelFor(pieces, threads, [&](int64_t piece) {
    int64_t *own = places.data() + size_t(piece) * buckets;
    int64_t end = pieceBegin(piece + 1);
    for (int64_t n = pieceBegin(piece); n < end; ++n)
      ++own[bucket[size_t(n)]];
  });
}

/// Turns counts into first places.
void Sorter::beginBuckets() {
  begins.assign(buckets + 1, 0);
  int64_t place = 0;
  for (size_t b = 0; b < buckets; ++b) {
    begins[b] = place;
    for (int64_t piece = 0; piece < pieces; ++piece) {
      int64_t &mine = places[size_t(piece) * buckets + b];
      int64_t size = mine;
      mine = place;
      place += size;
    }
  }
  begins[buckets] = place;
}

/// Moves the nonzeros into their buckets and tells `record` which went where.
template <typename Record>
void Sorter::moveToBuckets(Record record) {
  parallelFor(pieces, threads, [&](int64_t piece) {
    int64_t *own = places.data() + size_t(piece) * buckets;
    forCoordinates(view, pieceBegin(piece), pieceBegin(piece + 1),
                   [&](int64_t first, auto *rows, auto *columns, int64_t size) {
                     for (int64_t i = 0; i < size; ++i) {
                       auto to = size_t(own[bucket[size_t(first + i)]]++);
                       result.row[to] = int32_t(rows[i]);
                       result.column[to] = int32_t(columns[i]);
                       record(first + i, int64_t(to));
                     }
                   });
  });
}

void Sorter::moveInOrder() {
  moveToBuckets([&](int64_t n, int64_t to) { result.place[size_t(n)] = to; });
}

/// Rows of CSR by their new numbers: whole rows are taken in that order.
void Sorter::moveByNewRows() {
  NewRows rows(view.positions, rowNumbers(graph.space));
  auto forPiece = [&](int64_t piece, auto body) {
    size_t end = rows.startingAt(pieceBegin(piece + 1));
    for (size_t r = rows.startingAt(pieceBegin(piece)); r < end; ++r)
      for (int64_t n = view.positions[rows.oldNumber(r)],
                   last = view.positions[rows.oldNumber(r) + 1];
           n < last; ++n)
        body(rows.oldNumber(r), n);
  };
  places.assign(size_t(pieces) * buckets, 0);
  parallelFor(pieces, threads, [&](int64_t piece) {
    int64_t *own = places.data() + size_t(piece) * buckets;
    forPiece(piece, [&](int64_t, int64_t n) { ++own[bucket[size_t(n)]]; });
  });
  beginBuckets();
  parallelFor(pieces, threads, [&](int64_t piece) {
    int64_t *own = places.data() + size_t(piece) * buckets;
    forPiece(piece, [&](int64_t row, int64_t n) {
      auto to = size_t(own[bucket[size_t(n)]]++);
      result.row[to] = int32_t(row);
      result.column[to] = int32_t(view.coordinates[0][n]);
      result.place[size_t(n)] = int64_t(to);
    });
  });
}

void Sorter::moveUnsorted() {
  Scratch<int64_t> source(static_cast<size_t>(count));
  moveToBuckets([&](int64_t n, int64_t to) { source[size_t(to)] = n; });
  bucket.release();
  sortInside(result, source, begins, rowNumbers(graph.space), windows, threads);
  result.place.resize(size_t(count));
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t piece) {
    int64_t end = std::min(count, (piece + 1) * kPiece);
    for (int64_t i = piece * kPiece; i < end; ++i)
      result.place[size_t(source[size_t(i)])] = i;
  });
}

} // namespace

SortedNonzeros sortNonzeros(const SparseView &view, const Graph &graph,
                            unsigned columnBits, unsigned threads) {
  return Sorter(view, graph, columnBits, threads).run();
}

} // namespace astfe::core
