//===- ExpertScatter.cpp - A^T B by hand from A's own arrays --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpertScatter.h"
#include "Timing.h"
#include <algorithm>
#include <limits>

extern "C" int omp_get_thread_num(void);

namespace astfe::bench {
namespace {

/// As wide as AVX-512; a compiler for AVX2 makes two of each.
constexpr int64_t kVectorBytes = 64;
template <typename T>
constexpr int64_t kLanes = kVectorBytes / int64_t(sizeof(T));
template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes), aligned(alignof(T)),
                                may_alias));
};

/// Rows [begin, end) of A in some columns of B and C, which are `stride` apart.
template <typename T>
struct Walk {
  const Csr<T> &a;
  int64_t begin, end;
  const T *b;
  T *c;
  int64_t stride;
  int ahead;

  T *rowOf(int32_t n) const { return c + int64_t(a.coordinates[n]) * stride; }

  void fetch(int32_t n, int64_t bytes) const {
    const int32_t at = std::min(n + ahead, a.positions[a.rows] - 1);
    const char *row = reinterpret_cast<const char *>(rowOf(at));
    for (int64_t byte = 0; byte < bytes; byte += 64)
      __builtin_prefetch(row + byte, 1);
  }

  /// V vectors of a row of B stay in registers over a row of A.
  template <int V>
  void strip() const {
    using Vector = typename VectorOf<T>::Type;
    for (int64_t i = begin; i < end; ++i) {
      const auto *from = reinterpret_cast<const Vector *>(b + i * stride);
      Vector x[V];
      for (int v = 0; v < V; ++v)
        x[v] = from[v];
      for (int32_t n = a.positions[i]; n < a.positions[i + 1]; ++n) {
        if (ahead)
          fetch(n, V * kVectorBytes);
        auto *to = reinterpret_cast<Vector *>(rowOf(n));
        const T value = a.values[n];
        for (int v = 0; v < V; ++v)
          to[v] += value * x[v];
      }
    }
  }

  /// What is left of the columns: fewer than a vector.
  void rest(int64_t columns) const {
    for (int64_t i = begin; i < end; ++i)
      for (int32_t n = a.positions[i]; n < a.positions[i + 1]; ++n) {
        T *to = rowOf(n);
        const T value = a.values[n], *from = b + i * stride;
        for (int64_t r = 0; r < columns; ++r)
          to[r] += value * from[r];
      }
  }

  void all(int64_t columns) const {
    Walk at = *this;
    auto take = [&](int64_t vectors) {
      at.b += vectors * kLanes<T>;
      at.c += vectors * kLanes<T>;
      columns -= vectors * kLanes<T>;
    };
    for (; columns >= 8 * kLanes<T>; take(8))
      at.template strip<8>();
    for (; columns >= 4 * kLanes<T>; take(4))
      at.template strip<4>();
    for (; columns >= 2 * kLanes<T>; take(2))
      at.template strip<2>();
    for (; columns >= kLanes<T>; take(1))
      at.template strip<1>();
    if (columns)
      at.rest(columns);
  }
};

} // namespace

std::string ScatterVariant::text() const {
  return std::string(byColumns ? "columns by thread" : "an output a thread") +
         (ahead ? ", prefetch " + std::to_string(ahead) : "");
}

template <typename T>
ExpertScatter<T>::ExpertScatter(const Csr<T> &a, int64_t rows, const T *b, T *c,
                                int64_t columns, int threads, bool adds)
    : a(a), rows(rows), b(b), c(c), columns(columns), threads(threads),
      adds(adds), bounds(balanceRows(a.rows, a.positions, threads)),
      own(size_t(threads - 1), std::vector<T>(size_t(rows * columns))) {}

template <typename T>
void ExpertScatter<T>::runByRows(int thread, int ahead) const {
  T *out = thread == 0 ? c : own[size_t(thread) - 1].data();
  if (thread != 0 || !adds)
    std::fill_n(out, rows * columns, T(0));
  Walk<T>{
      a,    bounds[size_t(thread)], bounds[size_t(thread) + 1], b, out, columns,
      ahead}
      .all(columns);
}

template <typename T>
void ExpertScatter<T>::combine(int thread) const {
  const int64_t size = rows * columns, begin = size * thread / threads,
                end = size * (thread + 1) / threads;
  for (const std::vector<T> &other : own)
    for (int64_t i = begin; i < end; ++i)
      c[i] += other[size_t(i)];
}

template <typename T>
void ExpertScatter<T>::runByColumns(int thread, int ahead) const {
  const int64_t vectors = columns / kLanes<T>;
  const int64_t begin = vectors * thread / threads * kLanes<T>;
  const int64_t end = thread + 1 == threads
                          ? columns
                          : vectors * (thread + 1) / threads * kLanes<T>;
  if (!adds)
    for (int64_t i = 0; i < rows; ++i)
      std::fill(c + i * columns + begin, c + i * columns + end, T(0));
  Walk<T>{a, 0, a.rows, b + begin, c + begin, columns, ahead}.all(end - begin);
}

template <typename T>
void ExpertScatter<T>::run(const ScatterVariant &variant) const {
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    if (variant.byColumns) {
      runByColumns(thread, variant.ahead);
    } else {
      runByRows(thread, variant.ahead);
#pragma omp barrier
      combine(thread);
    }
  }
}

template <typename T>
void ExpertScatter<T>::run() const {
  run(chosen);
}

template <typename T>
void ExpertScatter<T>::tune() {
  double least = std::numeric_limits<double>::infinity();
  for (bool byColumns : {false, true})
    for (int ahead : {0, 4, 16}) {
      const ScatterVariant variant{byColumns, ahead};
      if (byColumns && columns < threads * kLanes<T>)
        continue;
      const double seconds = leastOf([&] { run(variant); });
      if (seconds >= least)
        continue;
      least = seconds;
      chosen = variant;
    }
}

template class ExpertScatter<float>;
template class ExpertScatter<double>;

} // namespace astfe::bench
