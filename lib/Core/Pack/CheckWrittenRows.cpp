//===- CheckWrittenRows.cpp - who writes which row of the output -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/PackedChecks.h"
#include "Pack/RowNumbers.h"
#include <algorithm>

namespace astfe::core {
namespace {

class RowsChecker {
public:
  explicit RowsChecker(const Packed &packed) : packed(packed) {}

  Status run() {
    using Step = Status (RowsChecker::*)();
    for (Step step : {&RowsChecker::partials, &RowsChecker::sharing,
                      &RowsChecker::starts, &RowsChecker::gaps})
      if (Status status = (this->*step)(); !status)
        return status;
    return Success{};
  }

private:
  Status partials();
  Status sharing();
  Status sharedSegment(int64_t worker, size_t g);
  Status starts();
  Status gaps();
  Status gap(const RowNumbers &numbers, int64_t worker, size_t i);

  const Packed &packed;
  /// The shared row and the worker of each partial row; -1 where unknown.
  std::vector<int32_t> partialRow;
  std::vector<int64_t> partialWorker;
  /// By a row's number: the worker that writes it, -1 of none or of several;
  /// and whether a segment writes it.
  std::vector<int64_t> owner;
  std::vector<bool> written;
  /// The rows that no segment writes and that are in no gap.
  int64_t unwritten = 0;
};

/// Shared rows ascend, and their partial rows are 0, 1, ..., each once.
Status RowsChecker::partials() {
  partialRow.assign(size_t(packed.partialRows()), -1);
  partialWorker.assign(size_t(packed.partialRows()), -1);
  for (size_t i = 0; i < packed.combineRow.size(); ++i) {
    int32_t row = packed.combineRow[i];
    if (row < 0 || row >= packed.shape[0] ||
        (i != 0 && row <= packed.combineRow[i - 1]))
      return Error{"expected " + at("combineRow", int64_t(i)) +
                   " to be an ascending row but got " + std::to_string(row)};
    if (packed.combineBegin[i + 1] - packed.combineBegin[i] < 2)
      return Error{"expected at least 2 partial rows for the shared row " +
                   std::to_string(row) + " but got 1"};
    for (int64_t j = packed.combineBegin[i]; j < packed.combineBegin[i + 1];
         ++j) {
      int64_t partial = packed.combinePartial[size_t(j)];
      if (partial < 0 || partial >= packed.partialRows() ||
          partialRow[size_t(partial)] != -1)
        return Error{"expected " + at("combinePartial", j) +
                     " to be a partial row not used before but got " +
                     std::to_string(partial)};
      partialRow[size_t(partial)] = row;
    }
  }
  return Success{};
}

/// Rows of one worker go straight to the output, shared ones to a partial row
/// that no other worker writes.
Status RowsChecker::sharing() {
  RowNumbers numbers(packed);
  owner.assign(numbers.count(), -1);
  int32_t shared = std::numeric_limits<int32_t>::max();
  for (int64_t worker = 0; worker < packed.workers(); ++worker) {
    int64_t end =
        packed.spanSegment[size_t(packed.workerSpan[size_t(worker) + 1])];
    for (int64_t g =
             packed.spanSegment[size_t(packed.workerSpan[size_t(worker)])];
         g < end; ++g) {
      if (Status status = sharedSegment(worker, size_t(g)); !status)
        return status;
      int32_t row = packed.segmentRow[size_t(g)];
      if (row < 0)
        continue;
      int64_t &first = owner[numbers.number(row)];
      if (first != -1 && first != worker)
        shared = std::min(shared, row);
      first = worker;
    }
  }
  for (size_t p = 0; p < partialWorker.size(); ++p)
    if (partialWorker[p] == -1)
      return Error{"expected partial row " + std::to_string(p) +
                   " to be written but no segment does"};
  if (shared != std::numeric_limits<int32_t>::max())
    return Error{"expected row " + std::to_string(shared) +
                 " to be shared, as more than one worker writes it"};
  // Their partial rows are written, so that all of these have a number.
  for (int32_t row : packed.combineRow)
    if (owner[numbers.number(row)] != -1)
      return Error{"expected all segments of the shared row " +
                   std::to_string(row) + " to be marked as shared"};
  return Success{};
}

Status RowsChecker::sharedSegment(int64_t worker, size_t g) {
  int32_t row = packed.segmentRow[g], target = packed.segmentTarget[g];
  if (row >= 0) {
    if (target != row)
      return unexpected(at("segmentTarget", int64_t(g)) + " to be", row,
                        target);
    return Success{};
  }
  if (target >= 0 || ~target >= packed.partialRows())
    return Error{"expected " + at("segmentTarget", int64_t(g)) +
                 " to be the complement of a partial row but got " +
                 std::to_string(target)};
  size_t partial = size_t(~target);
  if (partialRow[partial] != ~row)
    return unexpected("partial row " + std::to_string(partial) +
                          " to belong to row",
                      partialRow[partial], ~row);
  if (partialWorker[partial] != -1 && partialWorker[partial] != worker)
    return unexpected("partial row " + std::to_string(partial) +
                          " to be written by worker",
                      partialWorker[partial], worker);
  partialWorker[partial] = worker;
  return Success{};
}

/// The first segment that writes a target is marked, and no other.
Status RowsChecker::starts() {
  RowNumbers numbers(packed);
  written.assign(numbers.count(), false);
  std::vector<bool> begun(numbers.count() + size_t(packed.partialRows()));
  bool repeats = false;
  for (size_t g = 0; g < size_t(packed.segments()); ++g) {
    written[numbers.number(rowOf(packed.segmentRow[g]))] = true;
    int32_t target = packed.segmentTarget[g];
    size_t place =
        target < 0 ? numbers.count() + size_t(~target) : numbers.number(target);
    bool first = !begun[place];
    begun[place] = true;
    repeats |= !first;
    bool marked = packed.segmentFirst.empty() || packed.segmentFirst[g] == 1;
    if (marked != first || (!marked && packed.segmentFirst[g] != 0))
      return Error{"expected segment " + std::to_string(g) +
                   (first ? " to be marked as the first of its target"
                          : " to be marked as not the first of its target")};
  }
  if (!packed.segmentFirst.empty() && !repeats)
    return unexpected("the number of entries of segmentFirst, as all are first,"
                      " to be",
                      0, packed.segments());
  return Success{};
}

/// All rows that no segment writes are in a gap, once.
Status RowsChecker::gaps() {
  RowNumbers numbers(packed);
  if (packed.layout.storage != Storage::View)
    unwritten =
        packed.shape[0] - std::count(written.begin(), written.end(), true);
  std::vector<std::pair<int32_t, int32_t>> runs;
  for (int64_t worker = 0; worker < packed.workers(); ++worker) {
    int64_t next = 0;
    for (auto i = size_t(packed.workerGap[size_t(worker)]);
         i < size_t(packed.workerGap[size_t(worker) + 1]); ++i) {
      const int64_t begin = packed.gapBegin[i], end = packed.gapEnd[i];
      if (begin < next || end <= begin || end > packed.shape[0])
        return Error{"expected " + at("gapBegin", int64_t(i)) +
                     " to begin an ascending run of rows but got " +
                     std::to_string(begin) + ".." + std::to_string(end)};
      if (Status status = gap(numbers, worker, i); !status)
        return status;
      next = end;
      runs.emplace_back(begin, end);
    }
  }
  std::sort(runs.begin(), runs.end());
  for (size_t i = 1; i < runs.size(); ++i)
    if (runs[i].first < runs[i - 1].second)
      return Error{"expected row " + std::to_string(runs[i].first) +
                   " to be in one gap but got two"};
  if (unwritten != 0)
    return unexpected("the rows without a segment that are in no gap to be", 0,
                      unwritten);
  return Success{};
}

/// Rows of gap `i` that segments write are its worker's, or shared.
Status RowsChecker::gap(const RowNumbers &numbers, int64_t worker, size_t i) {
  const int32_t begin = packed.gapBegin[i], end = packed.gapEnd[i];
  unwritten -= int64_t(end) - begin;
  for (size_t n = numbers.number(begin);
       n < numbers.count() && numbers.row(n) < end; ++n) {
    if (!written[n])
      continue;
    ++unwritten;
    const int32_t row = numbers.row(n);
    const bool mayJoin = packed.layout.joinedRows() != 0;
    if (!mayJoin || (owner[n] != -1 && owner[n] != worker))
      return Error{
          "expected no segment " +
          (mayJoin ? "of other workers than " + std::to_string(worker) + " "
                   : std::string()) +
          "to write row " + std::to_string(row) + " of a gap"};
  }
  return Success{};
}

} // namespace

Status checkWrittenRows(const Packed &packed) {
  return RowsChecker(packed).run();
}

} // namespace astfe::core
