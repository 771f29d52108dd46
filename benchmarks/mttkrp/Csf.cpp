//===- Csf.cpp - MTTKRP over compressed sparse fibers, by hand ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Csf.h"
#include "ASTFE/Core/Support/Parallel.h"
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
  Csf csf;
  csf.root = root;
  csf.extent = problem.tensor.shape[root];
  std::tie(csf.middle, csf.leaf) = problem.others(root);
  if (problem.tensor.shape[csf.leaf] < problem.tensor.shape[csf.middle])
    std::swap(csf.middle, csf.leaf);
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

/// One slice's row.
static Row sumSlice(const Problem &problem, const Csf &csf, int64_t slice) {
  const Row *middle = problem.factors[csf.middle].data();
  const Row *leaf = problem.factors[csf.leaf].data();
  const int32_t *entryRow = csf.entryRow.data();
  const float *values = csf.values.data();
  const auto last = int64_t(csf.entryRow.size()) - 1;
  const auto lastFiber = int64_t(csf.fiberRow.size()) - 1;
  Row sum{};
  for (int64_t f = csf.sliceFiber[size_t(slice)];
       f < csf.sliceFiber[size_t(slice) + 1]; ++f) {
    const Row &next =
        middle[csf.fiberRow[size_t(std::min(f + kAhead, lastFiber))]];
    __builtin_prefetch(&next.low);
    __builtin_prefetch(&next.high);
    Vector low{}, high{};
    for (int64_t n = csf.fiberEntry[size_t(f)];
         n < csf.fiberEntry[size_t(f) + 1]; ++n) {
      const Row &ahead = leaf[entryRow[std::min(n + kAhead, last)]];
      __builtin_prefetch(&ahead.low);
      __builtin_prefetch(&ahead.high);
      const Row &row = leaf[entryRow[n]];
      low += values[n] * row.low;
      high += values[n] * row.high;
    }
    const Row &row = middle[csf.fiberRow[size_t(f)]];
    sum.low += low * row.low;
    sum.high += high * row.high;
  }
  return sum;
}

void runCsf(const Problem &problem, const Csf &csf, Rows &out) {
  const int64_t threads = int64_t(csf.threadSlice.size()) - 1;
  parallelFor(threads, unsigned(threads), [&](int64_t thread) {
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
      out.data()[row++] = sumSlice(problem, csf, s);
    }
    if (thread + 1 == threads)
      clearTo(csf.extent);
  });
}

} // namespace astfe::bench
