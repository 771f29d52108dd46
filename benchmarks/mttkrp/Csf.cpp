//===- Csf.cpp - MTTKRP over compressed sparse fibers, by hand ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csf.h"
#include "OnThreads.h"
#include "Timing.h"
#include <algorithm>
#include <numeric>
#include <tuple>

using namespace astfe::core;

namespace astfe::bench {

int64_t Csf::bytes() const {
  return int64_t(sizeof(int32_t)) *
         int64_t(sliceRow.size() + sliceFiber.size() + fiberRow.size() +
                 fiberEntry.size() + entryRow.size() + values.size());
}

/// Slices by thread: where shares of the nonzeros end.
static void shareSlices(Csf &csf, int64_t threads) {
  const auto count = int64_t(csf.entryRow.size());
  csf.threadSlice.assign(1, 0);
  for (size_t s = 0; s < csf.sliceRow.size(); ++s) {
    const int64_t done = csf.fiberEntry[size_t(csf.sliceFiber[s + 1])];
    while (int64_t(csf.threadSlice.size()) < threads &&
           done * threads >= count * int64_t(csf.threadSlice.size()))
      csf.threadSlice.push_back(int64_t(s) + 1);
  }
  csf.threadSlice.resize(size_t(threads) + 1, int64_t(csf.sliceRow.size()));
}

Csf makeCsf(const Problem &problem, unsigned root, int64_t threads) {
  auto [middle, leaf] = problem.others(root);
  if (problem.tensor.shape[leaf] < problem.tensor.shape[middle])
    std::swap(middle, leaf);
  return makeCsf(problem, {root, middle, leaf}, threads);
}

Csf makeCsf(const Problem &problem, const std::array<unsigned, 3> &levels,
            int64_t threads) {
  Csf csf;
  csf.root = levels[0];
  csf.middle = levels[1];
  csf.leaf = levels[2];
  csf.extent = problem.tensor.shape[csf.root];
  const auto &modes = problem.tensor.coordinates;
  std::vector<int64_t> order(size_t(problem.nonzeros()));
  std::iota(order.begin(), order.end(), 0);
  auto keyOf = [&](int64_t n) {
    return std::make_tuple(modes[csf.root][size_t(n)],
                           modes[csf.middle][size_t(n)],
                           modes[csf.leaf][size_t(n)], n);
  };
  std::sort(order.begin(), order.end(),
            [&](int64_t x, int64_t y) { return keyOf(x) < keyOf(y); });
  int64_t slice = -1, fiber = -1;
  for (int64_t n : order) {
    const bool newSlice = modes[csf.root][size_t(n)] != slice;
    if (newSlice || modes[csf.middle][size_t(n)] != fiber) {
      if (newSlice) {
        slice = modes[csf.root][size_t(n)];
        csf.sliceRow.push_back(int32_t(slice));
        csf.sliceFiber.push_back(int32_t(csf.fiberRow.size()));
      }
      fiber = modes[csf.middle][size_t(n)];
      csf.fiberRow.push_back(int32_t(fiber));
      csf.fiberEntry.push_back(int32_t(csf.entryRow.size()));
    }
    csf.entryRow.push_back(int32_t(modes[csf.leaf][size_t(n)]));
    csf.values.push_back(problem.values[size_t(n)]);
  }
  csf.sliceFiber.push_back(int32_t(csf.fiberRow.size()));
  csf.fiberEntry.push_back(int32_t(csf.entryRow.size()));
  shareSlices(csf, threads);
  return csf;
}

namespace {

void fetch(const Row &row) {
  __builtin_prefetch(&row.low);
  __builtin_prefetch(&row.high);
}

/// What all walks of a tree read.
struct Walk {
  Walk(const Problem &problem, const Csf &csf)
      : csf(csf), root(problem.factors[csf.root].data()),
        middle(problem.factors[csf.middle].data()),
        leaf(problem.factors[csf.leaf].data()),
        last(int64_t(csf.entryRow.size()) - 1),
        lastFiber(int64_t(csf.fiberRow.size()) - 1) {}

  const Row &rootRow(int64_t slice) const {
    return root[csf.sliceRow[size_t(slice)]];
  }
  const Row &middleRow(int64_t fiber) const {
    return middle[csf.fiberRow[size_t(fiber)]];
  }

  template <typename Body>
  void fibers(int64_t slice, Body body) const {
    for (int64_t f = csf.sliceFiber[size_t(slice)];
         f < csf.sliceFiber[size_t(slice) + 1]; ++f)
      body(f);
  }

  /// The sum of a fiber's values times the leaves' rows.
  template <bool Ahead>
  Row sumFiber(int64_t fiber) const {
    const int32_t *entryRow = csf.entryRow.data();
    const float *values = csf.values.data();
    Vector low{}, high{};
    for (int64_t n = csf.fiberEntry[size_t(fiber)];
         n < csf.fiberEntry[size_t(fiber) + 1]; ++n) {
      if constexpr (Ahead)
        fetch(leaf[entryRow[std::min(n + csf.ahead, last)]]);
      const Row &row = leaf[entryRow[n]];
      low += values[n] * row.low;
      high += values[n] * row.high;
    }
    return {low, high};
  }

  /// The root's row of a slice.
  template <bool Ahead>
  Row sumSlice(int64_t slice) const {
    Row sum{};
    fibers(slice, [&](int64_t f) {
      if constexpr (Ahead)
        fetch(middleRow(std::min(f + csf.ahead, lastFiber)));
      const Row below = sumFiber<Ahead>(f), &row = middleRow(f);
      sum.low += below.low * row.low;
      sum.high += below.high * row.high;
    });
    return sum;
  }

  /// Adds a slice to the rows of the middle mode.
  void addToMiddle(int64_t slice, Row *out) const {
    const Row above = rootRow(slice);
    fibers(slice, [&](int64_t f) {
      const Row below = sumFiber<true>(f);
      Row &to = out[csf.fiberRow[size_t(f)]];
      to.low += below.low * above.low;
      to.high += below.high * above.high;
    });
  }

  /// Adds a slice to the rows of the leaves' mode.
  void addToLeaves(int64_t slice, Row *out) const {
    const Row above = rootRow(slice);
    fibers(slice, [&](int64_t f) {
      const Row &row = middleRow(f);
      const Vector low = above.low * row.low, high = above.high * row.high;
      for (int64_t n = csf.fiberEntry[size_t(f)];
           n < csf.fiberEntry[size_t(f) + 1]; ++n) {
        fetch(out[csf.entryRow[size_t(std::min(n + csf.ahead, last))]]);
        Row &to = out[csf.entryRow[size_t(n)]];
        to.low += csf.values[size_t(n)] * low;
        to.high += csf.values[size_t(n)] * high;
      }
    });
  }

  const Csf &csf;
  const Row *root, *middle, *leaf;
  int64_t last, lastFiber;
};

} // namespace

void runCsf(const Problem &problem, const Csf &csf, Rows &out) {
  const Walk walk(problem, csf);
  onThreads(csf.threads(), [&](int64_t thread) {
    const int64_t begin = csf.threadSlice[size_t(thread)];
    const int64_t end = csf.threadSlice[size_t(thread) + 1];
    // Rows without nonzeros are zero: each thread clears those in front of its
    // own, the last one those behind.
    int64_t row = begin == 0 ? 0 : csf.sliceRow[size_t(begin) - 1] + 1;
    auto clearTo = [&](int64_t to) {
      for (; row < to; ++row)
        out.data()[row] = Row{};
    };
    for (int64_t s = begin; s < end; ++s) {
      clearTo(csf.sliceRow[size_t(s)]);
      out.data()[row++] =
          csf.ahead ? walk.sumSlice<true>(s) : walk.sumSlice<false>(s);
    }
    if (thread + 1 == csf.threads())
      clearTo(csf.extent);
  });
}

void tuneCsf(const Problem &problem, Csf &csf, Rows &out) {
  constexpr int64_t kAhead[] = {0, 4, 16, 32};
  auto apply = [&](size_t setting) { csf.ahead = kAhead[setting]; };
  apply(fastestOf(std::size(kAhead), {[&] { runCsf(problem, csf, out); }},
                  apply));
}

static unsigned shortestMode(const Problem &problem) {
  const auto &shape = problem.tensor.shape;
  return unsigned(std::min_element(shape.begin(), shape.end()) - shape.begin());
}

OneCsf::OneCsf(const Problem &problem, int64_t threads)
    : problem(problem), csf(makeCsf(problem, shortestMode(problem), threads)) {
  for (int64_t t = 1; t < threads; ++t)
    own.emplace_back(std::max(problem.tensor.shape[csf.middle],
                              problem.tensor.shape[csf.leaf]));
}

template <typename Slice>
void OneCsf::runBelow(Rows &out, Slice slice) {
  const int64_t threads = csf.threads(), count = out.count();
  onThreads(threads, [&](int64_t thread) {
    Row *mine = thread == 0 ? out.data() : own[size_t(thread) - 1].data();
    std::memset(static_cast<void *>(mine), 0, size_t(count) * sizeof(Row));
    for (int64_t s = csf.threadSlice[size_t(thread)];
         s < csf.threadSlice[size_t(thread) + 1]; ++s)
      slice(s, mine);
    waitForThreads();
    for (const Rows &other : own)
      for (int64_t i = count * thread / threads;
           i < count * (thread + 1) / threads; ++i) {
        out.data()[i].low += other.data()[i].low;
        out.data()[i].high += other.data()[i].high;
      }
  });
}

void OneCsf::run(unsigned key, Rows &out) {
  const Walk walk(problem, csf);
  if (key == csf.root)
    return runCsf(problem, csf, out);
  if (key == csf.middle)
    return runBelow(
        out, [&](int64_t s, Row *to) { return walk.addToMiddle(s, to); });
  runBelow(out, [&](int64_t s, Row *to) { return walk.addToLeaves(s, to); });
}

} // namespace astfe::bench
