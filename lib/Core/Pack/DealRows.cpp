//===- DealRows.cpp - neighbouring rows to warps beside each other --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/DealRows.h"
#include "Pack/Pieces.h"
#include <algorithm>
#include <functional>
#include <queue>

namespace astfe::core {
namespace {

class Dealer {
public:
  Dealer(PackPlan &plan, const PackOptions &options,
         std::vector<int64_t> &workers, int64_t group, Packed &packed)
      : plan(plan), options(options), workers(workers), group(group),
        rowCost(segmentCost(options.layout)), packed(packed) {}

  void run();

private:
  int64_t groups() const {
    return (int64_t(workers.size()) + group - 2) / group;
  }
  int64_t firstWorker(int64_t g) const {
    return std::min(g * group, int64_t(workers.size()) - 1);
  }
  bool isWhole(int64_t g, int64_t first, int64_t last) const;
  int64_t largestRun(int64_t g, int64_t first) const;
  void deal(int64_t g);
  template <typename T>
  void moveColumns(Table<T> &columns);
  void moveNonzeros();
  bool isCrossed(int64_t segment) const;
  void joinSpans();

  PackPlan &plan;
  const PackOptions &options;
  std::vector<int64_t> &workers;
  int64_t group, rowCost;
  Packed &packed;
  /// By group, and the end: the first segment that begins there.
  std::vector<int64_t> firstSegment;
  std::vector<uint8_t> dealt; ///< by group
  /// Where each slot goes.
  Table<int64_t> place;
};

/// Whether the segments [first, last) are different rows that no worker of the
/// group shares, whose columns count from the same one.
bool Dealer::isWhole(int64_t g, int64_t first, int64_t last) const {
  const int64_t *slots = plan.segmentSlot.data();
  for (int64_t w = firstWorker(g); w <= firstWorker(g + 1); ++w)
    if (!std::binary_search(slots + first, slots + last + 1,
                            workers[size_t(w)]))
      return false;
  auto span = size_t(std::upper_bound(plan.firstSegment.begin(),
                                      plan.firstSegment.end(), first) -
                     plan.firstSegment.begin()) -
              1;
  const int32_t column = plan.spans[span].column;
  for (; plan.firstSegment[span] < last; ++span)
    if (plan.spans[span].kind != SegmentClass::RowSegments ||
        (options.layout.columnBits != 32 && plan.spans[span].column != column))
      return false;
  std::vector<int32_t> rows(plan.segmentRow.begin() + first,
                            plan.segmentRow.begin() + last);
  std::sort(rows.begin(), rows.end());
  return std::adjacent_find(rows.begin(), rows.end()) == rows.end();
}

/// What the worker of a group costs that has most, whose segments begin with
/// `first`.
int64_t Dealer::largestRun(int64_t g, int64_t first) const {
  const int64_t *slots = plan.segmentSlot.data();
  int64_t largest = 0, segment = first;
  for (int64_t w = firstWorker(g); w < firstWorker(g + 1); ++w) {
    int64_t cost = workers[size_t(w) + 1] - workers[size_t(w)];
    for (; slots[segment] < workers[size_t(w) + 1]; ++segment)
      cost += rowCost;
    largest = std::max(largest, cost);
  }
  return largest;
}

/// Each row goes to the worker that would be done first.
void Dealer::deal(int64_t g) {
  const int64_t begin = firstWorker(g), end = firstWorker(g + 1);
  const int64_t first = firstSegment[size_t(g)],
                last = firstSegment[size_t(g) + 1];
  int64_t *slots = plan.segmentSlot.data();
  for (int64_t slot = workers[size_t(begin)]; slot < workers[size_t(end)];
       ++slot)
    place[size_t(slot)] = slot;
  if (end - begin < 2 || last - first <= end - begin ||
      !isWhole(g, first, last))
    return;
  using Load = std::pair<int64_t, int64_t>; // and the worker
  std::priority_queue<Load, std::vector<Load>, std::greater<Load>> loads;
  for (int64_t w = begin; w < end; ++w)
    loads.push({0, w - begin});
  struct Row {
    int64_t begin, count;
    int32_t number;
  };
  std::vector<std::vector<Row>> rows(size_t(end - begin));
  for (int64_t s = first; s < last; ++s) {
    const auto [load, worker] = loads.top();
    loads.pop();
    const int64_t count = slots[s + 1] - slots[s];
    rows[size_t(worker)].push_back(
        {slots[s], count, plan.segmentRow[size_t(s)]});
    loads.push({load + count + rowCost, worker});
  }
  int64_t largest = 0;
  for (; !loads.empty(); loads.pop())
    largest = std::max(largest, loads.top().first);
  const int64_t mean = rowCost + (slots[last] - slots[first]) / (last - first);
  if (largest > largestRun(g, first) + mean)
    return;
  dealt[size_t(g)] = 1;
  int64_t slot = slots[first], segment = first;
  for (int64_t w = begin; w < end; ++w) {
    if (w > begin) // where a group begins others look, too
      workers[size_t(w)] = slot;
    for (const Row &row : rows[size_t(w - begin)]) {
      for (int64_t i = 0; i < row.count; ++i)
        place[size_t(row.begin + i)] = slot + i;
      plan.segmentRow[size_t(segment)] = row.number;
      if (segment > first)
        slots[segment] = slot;
      ++segment;
      slot += row.count;
    }
  }
}

template <typename T>
void Dealer::moveColumns(Table<T> &columns) {
  if (columns.empty())
    return;
  Table<T> moved(columns.size());
  forPieces(plan.slots(), options.threads, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot)
      moved[size_t(place[size_t(slot)])] = columns[size_t(slot)];
  });
  columns = std::move(moved);
}

void Dealer::moveNonzeros() {
  moveColumns(packed.columns8);
  moveColumns(packed.columns16);
  moveColumns(packed.columns32);
  if (packed.isInOrder()) {
    packed.slotOf = std::move(place);
    return;
  }
  forPieces(packed.nonzeros, options.threads, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n)
      packed.slotOf[size_t(n)] = place[size_t(packed.slotOf[size_t(n)])];
  });
}

/// Whether rows were dealt across a segment.
bool Dealer::isCrossed(int64_t segment) const {
  const auto next =
      std::upper_bound(firstSegment.begin(), firstSegment.end(), segment);
  return segment != next[-1] && dealt[size_t(next - firstSegment.begin()) - 1];
}

/// Spans that rows have left for each other are one: their bound would cut the
/// runs of workers, whose rows are different.
void Dealer::joinSpans() {
  std::vector<PlannedSpan> spans;
  std::vector<int64_t> begins;
  for (size_t i = 0; i < plan.spans.size(); ++i) {
    const int64_t segment = plan.firstSegment[i];
    if (isCrossed(segment)) {
      spans.back().segments += plan.spans[i].segments;
      continue;
    }
    spans.push_back(plan.spans[i]);
    begins.push_back(segment);
  }
  begins.push_back(plan.segments());
  plan.spans = std::move(spans);
  plan.firstSegment = std::move(begins);
  plan.firstSlot.clear();
  for (int64_t segment : plan.firstSegment)
    plan.firstSlot.push_back(plan.segmentSlot[size_t(segment)]);
}

void Dealer::run() {
  const int64_t *slots = plan.segmentSlot.data();
  for (int64_t g = 0; g <= groups(); ++g)
    firstSegment.push_back(std::lower_bound(slots, slots + plan.segments(),
                                            workers[size_t(firstWorker(g))]) -
                           slots);
  dealt.resize(size_t(groups()));
  place.resize(size_t(plan.slots()));
  parallelFor(groups(), options.threads, [&](int64_t g) { deal(g); });
  if (std::find(dealt.begin(), dealt.end(), 1) == dealt.end())
    return;
  moveNonzeros();
  joinSpans();
}

} // namespace

void dealRows(PackPlan &plan, const PackOptions &options,
              std::vector<int64_t> &workers, int64_t group, Packed &packed) {
  Dealer(plan, options, workers, group, packed).run();
}

} // namespace astfe::core
