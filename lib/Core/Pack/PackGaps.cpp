//===- PackGaps.cpp - rows that no segment writes -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/PackGaps.h"

namespace astfe::core {
namespace {

/// Rows, and the worker that has to clear them.
struct Gap {
  int32_t begin, end, worker = AnyWorker;

  int64_t rows() const { return int64_t(end) - begin; }
};

class GapFinder {
public:
  GapFinder(Packed &packed, const RowNumbers &numbers,
            const std::vector<int32_t> &writers)
      : packed(packed), numbers(numbers), writers(writers) {}

  void find(const std::vector<uint8_t> &seen);
  void share();

private:
  void add(int64_t begin, int64_t end);
  bool joins(int64_t begin, int64_t end);
  void fill(std::vector<int64_t> &rooms);
  void write();

  Packed &packed;
  const RowNumbers &numbers;
  const std::vector<int32_t> &writers;
  std::vector<Gap> gaps;
};
} // namespace

/// The runs of rows between those that are written, joined where they may be.
void GapFinder::find(const std::vector<uint8_t> &seen) {
  int64_t next = 0;
  for (size_t n = 0; n < numbers.count(); ++n) {
    if (!seen[n])
      continue;
    add(next, numbers.row(n));
    next = int64_t(numbers.row(n)) + 1;
  }
  add(next, packed.shape[0]);
}

/// A run that is not empty is a gap, or part of the last one.
void GapFinder::add(int64_t begin, int64_t end) {
  if (begin == end)
    return;
  if (!joins(begin, end))
    gaps.push_back({int32_t(begin), int32_t(end)});
}

/// Lets the last gap go on to `end`, if the rows before `begin` allow that.
bool GapFinder::joins(int64_t begin, int64_t end) {
  if (writers.empty() || gaps.empty())
    return false;
  Gap &last = gaps.back();
  const int64_t between = begin - last.end;
  const bool isLong =
      end - begin > rules::kLongGap ||
      (last.worker == AnyWorker && last.rows() > rules::kLongGap);
  if (isLong || between > packed.layout.joinedRows())
    return false;
  int32_t worker = last.worker;
  // The rows between are all written, and have numbers one after the other.
  const size_t first = numbers.number(last.end);
  for (size_t n = first; n < first + size_t(between); ++n) {
    const int32_t writer = writers[n];
    if (writer == AnyWorker || writer == worker)
      continue;
    if (worker != AnyWorker)
      return false;
    worker = writer;
  }
  last.end = int32_t(end);
  last.worker = worker;
  return true;
}

/// Gives the gaps that anybody may clear to workers that have room, in order,
/// and cuts them where that ends.
void GapFinder::fill(std::vector<int64_t> &rooms) {
  std::vector<Gap> shared;
  shared.reserve(gaps.size() + rooms.size());
  size_t worker = 0;
  for (Gap gap : gaps) {
    if (gap.worker != AnyWorker) {
      shared.push_back(gap);
      continue;
    }
    while (gap.begin < gap.end) {
      while (rooms[worker] == 0)
        ++worker;
      const int64_t taken = std::min(gap.rows(), rooms[worker]);
      shared.push_back(
          {gap.begin, int32_t(gap.begin + taken), int32_t(worker)});
      gap.begin = int32_t(gap.begin + taken);
      rooms[worker] -= taken;
    }
  }
  gaps = std::move(shared);
}

/// Each worker has an equal number of the gaps' rows, or those that only it may
/// clear if they are more.
void GapFinder::share() {
  int64_t rows = 0;
  for (const Gap &gap : gaps)
    rows += gap.rows();
  const int64_t workers = packed.workers();
  std::vector<int64_t> rooms(static_cast<size_t>(workers));
  for (int64_t w = 0; w < workers; ++w)
    rooms[size_t(w)] = rows / workers + (w < rows % workers);
  for (const Gap &gap : gaps)
    if (gap.worker != AnyWorker)
      rooms[size_t(gap.worker)] -= gap.rows();
  for (int64_t &room : rooms)
    room = std::max<int64_t>(room, 0);
  fill(rooms);
  write();
}

void GapFinder::write() {
  std::vector<int64_t> next(size_t(packed.workers()) + 1, 0);
  for (const Gap &gap : gaps)
    ++next[size_t(gap.worker) + 1];
  for (size_t w = 1; w < next.size(); ++w)
    next[w] += next[w - 1];
  packed.workerGap = next;
  packed.gapBegin.resize(gaps.size());
  packed.gapEnd.resize(gaps.size());
  for (const Gap &gap : gaps) {
    const auto i = size_t(next[size_t(gap.worker)]++);
    packed.gapBegin[i] = gap.begin;
    packed.gapEnd[i] = gap.end;
  }
}

void findGaps(Packed &packed, const RowNumbers &numbers,
              const std::vector<uint8_t> &seen,
              const std::vector<int32_t> &writers) {
  GapFinder finder(packed, numbers, writers);
  finder.find(seen);
  finder.share();
}

} // namespace astfe::core
