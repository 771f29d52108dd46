//===- FiberProducts.cpp - TTV and TTM over compressed fibers -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FiberProducts.h"
#include "OnThreads.h"
#include "Timing.h"
#include <cstring>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace astfe::bench {

FiberProduct makeFiberProduct(const Problem &problem, unsigned mode,
                              bool isMatrix, int64_t threads) {
  const auto [root, middle] = problem.others(mode);
  return {makeCsf(problem, {root, middle, mode}, threads), isMatrix};
}

namespace {

/// Calls clear(from, to) and fiber(at, f) for the rows of Y that a thread has,
/// in their order.
template <typename Clear, typename Fiber>
void walkRows(const Problem &problem, const Csf &csf, int64_t thread,
              Clear clear, Fiber fiber) {
  const int64_t width = problem.tensor.shape[csf.middle];
  const int64_t begin = csf.threadSlice[size_t(thread)];
  const int64_t end = csf.threadSlice[size_t(thread) + 1];
  // A thread has all rows from behind the slice before its own ones to the end
  // of its last one; the last thread those behind that as well.
  auto rowBehind = [&](int64_t slice) {
    return slice == 0 ? 0 : (csf.sliceRow[size_t(slice) - 1] + 1) * width;
  };
  int64_t at = rowBehind(begin);
  for (int64_t s = begin; s < end; ++s) {
    const int64_t first = csf.sliceRow[size_t(s)] * width;
    for (int64_t f = csf.sliceFiber[size_t(s)];
         f < csf.sliceFiber[size_t(s) + 1]; ++f) {
      const int64_t row = first + csf.fiberRow[size_t(f)];
      clear(at, row);
      fiber(row, f);
      at = row + 1;
    }
  }
  clear(at, thread + 1 == csf.threads() ? csf.extent * width : rowBehind(end));
}

template <bool Past>
void store(Row &to, const Vector &low, const Vector &high) {
  if constexpr (Past) {
    __builtin_nontemporal_store(low, &to.low);
    __builtin_nontemporal_store(high, &to.high);
  } else {
    to.low = low;
    to.high = high;
  }
}

template <bool Past>
void timesMatrix(const Problem &problem, const Csf &csf, int64_t thread,
                 Row *out) {
  const Row *factor = problem.factors[csf.leaf].data();
  const int32_t *rows = csf.entryRow.data();
  const float *values = csf.values.data();
  const auto last = int64_t(csf.entryRow.size()) - 1;
  walkRows(
      problem, csf, thread,
      [&](int64_t from, int64_t to) {
        for (; from < to; ++from)
          store<Past>(out[from], Vector{}, Vector{});
      },
      [&](int64_t at, int64_t fiber) {
        Vector low{}, high{};
        for (int64_t n = csf.fiberEntry[size_t(fiber)];
             n < csf.fiberEntry[size_t(fiber) + 1]; ++n) {
          const Row &ahead = factor[rows[std::min(n + csf.ahead, last)]];
          __builtin_prefetch(&ahead.low);
          __builtin_prefetch(&ahead.high);
          const Row &row = factor[rows[n]];
          low += values[n] * row.low;
          high += values[n] * row.high;
        }
        store<Past>(out[at], low, high);
      });
}

/// The sum of values[n] times vector[rows[n]] over [n, end).
float dot(const float *values, const int32_t *rows, const float *vector,
          int64_t n, int64_t end) {
  float sum = 0;
#ifdef __AVX512F__
  if (end - n >= 16) {
    __m512 sums = _mm512_setzero_ps();
    for (; n + 16 <= end; n += 16)
      sums = _mm512_fmadd_ps(
          _mm512_loadu_ps(values + n),
          _mm512_i32gather_ps(_mm512_loadu_si512(rows + n), vector, 4), sums);
    sum = _mm512_reduce_add_ps(sums);
  }
#endif
  for (; n < end; ++n)
    sum += values[n] * vector[rows[n]];
  return sum;
}

void timesVector(const Problem &problem, const Csf &csf, int64_t thread,
                 float *out) {
  const float *vector = problem.factors[csf.leaf].floats();
  walkRows(
      problem, csf, thread,
      [&](int64_t from, int64_t to) {
        std::memset(out + from, 0, size_t(to - from) * sizeof(float));
      },
      [&](int64_t at, int64_t fiber) {
        out[at] = dot(csf.values.data(), csf.entryRow.data(), vector,
                      csf.fiberEntry[size_t(fiber)],
                      csf.fiberEntry[size_t(fiber) + 1]);
      });
}

} // namespace

void runFiberProduct(const Problem &problem, const FiberProduct &product,
                     Row *out) {
  const Csf &csf = product.csf;
  onThreads(csf.threads(), [&](int64_t thread) {
    if (!product.isMatrix)
      timesVector(problem, csf, thread, reinterpret_cast<float *>(out));
    else if (product.pastCaches)
      timesMatrix<true>(problem, csf, thread, out);
    else
      timesMatrix<false>(problem, csf, thread, out);
  });
}

void tuneFiberProduct(const Problem &problem, FiberProduct &product, Row *out) {
  if (!product.isMatrix)
    return;
  constexpr int64_t kAhead[] = {0, 4, 16};
  auto apply = [&](size_t setting) {
    product.pastCaches = setting % 2;
    product.csf.ahead = kAhead[setting / 2];
  };
  apply(fastestOf(2 * std::size(kAhead),
                  {[&] { runFiberProduct(problem, product, out); }}, apply));
}

} // namespace astfe::bench
