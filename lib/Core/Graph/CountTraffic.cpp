//===- CountTraffic.cpp - traffic counted from the nonzeros ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/RunTraffic.h"
#include "Support/StableSort.h"
#include "Tensor/Nonzeros.h"
#include <algorithm>

using namespace astfe::core;

namespace {

/// The nonzeros in curve order, with the worker and the group of each.
struct Sequence {
  std::vector<int64_t> order;
  std::vector<int64_t> groupOf; ///< by place in `order`
  int64_t workers = 1;

  /// The first place of worker w.
  size_t begin(int64_t w) const {
    return size_t(__int128(order.size()) * w / workers);
  }
};

/// Which numbers were seen since a stamp was taken, in O(1) each.
class Seen {
public:
  explicit Seen(int64_t numbers) : stamps(size_t(numbers), -1) {}
  /// True the first time that `number` comes with `stamp`.
  bool isNew(int64_t number, int64_t stamp) {
    bool fresh = stamps[size_t(number)] != stamp;
    stamps[size_t(number)] = stamp;
    return fresh;
  }

private:
  std::vector<int64_t> stamps;
};

} // namespace

/// The coordinates of one mode by nonzero.
static std::vector<int64_t> coordinatesOf(const SparseView &view,
                                          unsigned mode) {
  std::vector<int64_t> result(size_t(view.nonzeros()));
  if (view.levels) {
    auto next = result.begin();
    for (NonzeroBatches<int64_t> batch(view, 0, view.nonzeros()); batch.next();)
      next = std::copy_n(batch.coordinates()[mode], batch.size(), next);
    return result;
  }
  unsigned outer = view.format == SparseFormat::Csc ? 1 : 0;
  if (view.format == SparseFormat::Coo || mode != outer) {
    const IndexArray &stored =
        view.coordinates[view.format == SparseFormat::Coo ? mode : 0];
    for (size_t n = 0; n < result.size(); ++n)
      result[n] = stored[int64_t(n)];
    return result;
  }
  for (int64_t i = 0; i + 1 < view.positions.size(); ++i)
    std::fill(result.begin() + view.positions[i],
              result.begin() + view.positions[i + 1], i);
  return result;
}

/// Replaces coordinates by their ranks where the extent is out of proportion to
/// the nonzeros; returns how many numbers there are.
static int64_t compress(std::vector<int64_t> &coordinates, int64_t extent) {
  if (extent / 4 <= int64_t(coordinates.size()))
    return extent;
  std::vector<int64_t> values = coordinates;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (int64_t &coordinate : coordinates)
    coordinate = std::lower_bound(values.begin(), values.end(), coordinate) -
                 values.begin();
  return int64_t(values.size());
}

/// Sorts by part and key, stably.
static std::vector<int64_t> curveOrder(const std::vector<uint32_t> &parts,
                                       const std::vector<uint64_t> &keys,
                                       unsigned threads) {
  std::vector<int64_t> order = identityOrder(int64_t(keys.size()));
  if (std::is_sorted(keys.begin(), keys.end()) && parts.empty())
    return order;
  uint64_t used = 0;
  for (uint64_t key : keys)
    used |= key;
  unsigned unused = 0;
  while (used != 0 && (used >> unused & 1) == 0)
    ++unused;
  stableSortBy(
      order, used >> unused,
      [&](int64_t n) { return keys[size_t(n)] >> unused; }, threads);
  if (!parts.empty())
    stableSortBy(
        order, *std::max_element(parts.begin(), parts.end()),
        [&](int64_t n) { return parts[size_t(n)]; }, threads);
  return order;
}

static Sequence sequenceOf(const SparseView &view, const Graph &graph,
                           int64_t workers, unsigned threads) {
  std::vector<uint32_t> parts;
  std::vector<uint64_t> keys;
  encodeNonzeros(view, graph.space, parts, keys, threads);
  Sequence sequence;
  sequence.workers = workers;
  sequence.order = curveOrder(parts, keys, threads);
  sequence.groupOf.resize(keys.size());
  // A key belongs to the last group that begins at or before it.
  size_t group = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    auto n = size_t(sequence.order[i]);
    std::pair<uint32_t, uint64_t> at{parts.empty() ? 0 : parts[n], keys[n]};
    while (group + 1 < graph.groupCount()) {
      auto first = size_t(graph.groups[group + 1]);
      if (at < std::make_pair(graph.part[first], graph.prefix[first]))
        break;
      ++group;
    }
    sequence.groupOf[i] = int64_t(group);
  }
  return sequence;
}

/// Distinct indices of one mode, summed over the workers.
static int64_t countInputs(const Sequence &sequence,
                           const std::vector<int64_t> &coordinates,
                           int64_t numbers) {
  Seen seen(numbers);
  int64_t distinct = 0;
  for (int64_t w = 0; w < sequence.workers; ++w)
    for (size_t i = sequence.begin(w); i < sequence.begin(w + 1); ++i)
      distinct += seen.isNew(coordinates[size_t(sequence.order[i])], w);
  return distinct;
}

namespace {

struct OutputCounts {
  int64_t distinct = 0; ///< summed over the workers
  int64_t segments = 0; ///< distinct (worker, group, row)
  int64_t sharers = 0;  ///< for each row of several workers, their number
};

} // namespace

static OutputCounts countOutputs(const Sequence &sequence,
                                 const std::vector<int64_t> &coordinates,
                                 int64_t numbers) {
  OutputCounts counts;
  Seen byWorker(numbers), byRun(numbers);
  std::vector<int64_t> workersOf(size_t(numbers), 0);
  int64_t run = 0;
  for (int64_t w = 0; w < sequence.workers; ++w) {
    size_t begin = sequence.begin(w), end = sequence.begin(w + 1);
    for (size_t i = begin; i < end; ++i) {
      if (i == begin || sequence.groupOf[i] != sequence.groupOf[i - 1])
        ++run;
      int64_t row = coordinates[size_t(sequence.order[i])];
      counts.segments += byRun.isNew(row, run);
      if (byWorker.isNew(row, w)) {
        ++counts.distinct;
        ++workersOf[size_t(row)];
      }
    }
  }
  for (int64_t workers : workersOf)
    counts.sharers += workers > 1 ? workers : 0;
  return counts;
}

static Status checkCount(const TrafficModel &model, const SparseView &view,
                         int64_t workers) {
  if (Status status = check(model); !status)
    return status;
  if (workers < 1)
    return Error{"expected at least 1 worker but got " +
                 std::to_string(workers)};
  return view.check();
}

Result<Traffic> astfe::core::countTraffic(const TrafficModel &model,
                                          const SparseView &view,
                                          const Graph &graph, int64_t workers,
                                          unsigned threads) {
  if (Status status = checkCount(model, view, workers); !status)
    return status.error();
  if (view.shape != graph.space.shape)
    return Error{"expected a tensor of the graph's shape but got another"};
  // More runs than nonzeros are empty runs.
  workers = std::min(workers, std::max<int64_t>(view.nonzeros(), 1));
  Sequence sequence = sequenceOf(view, graph, workers, threads);
  Distinct distinct;
  OutputCounts outputs;
  for (unsigned k = 0; k < view.rank(); ++k) {
    std::vector<int64_t> coordinates = coordinatesOf(view, k);
    int64_t numbers = compress(coordinates, view.shape[k]);
    if (k == 0)
      outputs = countOutputs(sequence, coordinates, numbers);
    else
      distinct.inputs += countInputs(sequence, coordinates, numbers);
  }
  distinct.outputs = outputs.distinct;
  RunTraffic evaluate(model, view.rank());
  Traffic traffic = evaluate.traffic(distinct, view.nonzeros());
  traffic.indexBytes =
      saturatingAdd(saturatingMultiply(view.nonzeros(), model.indexBytes),
                    saturatingMultiply(outputs.segments, model.segmentBytes));
  traffic.sharedBytes =
      evaluate.rows(saturatingMultiply(outputs.sharers, model.sharedPenalty));
  return traffic;
}
