//===- Expert.cpp - the variants, and the fastest of them -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expert.h"
#include "ExpertIsa.h"
#include "Timing.h"
#include <algorithm>
#include <limits>
#include <type_traits>

extern "C" int omp_get_thread_num(void);

namespace astfe::bench {
namespace {

struct Found {
  const char *name;
  const ExpertLoops *loops;
  int vectorBytes;
};

Found findInstructions() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    return {"avx512", &expertAVX512, 64};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"avx2", &expertAVX2, 32};
#endif
  return {"plain", &expertPlain, 16};
}

const Found &found() {
  static const Found instructions = findInstructions();
  return instructions;
}

} // namespace

std::vector<int64_t> balanceRows(int64_t rows, const int32_t *positions,
                                 int threads) {
  std::vector<int64_t> bounds = {0};
  const int64_t total = positions[rows] + rows;
  int64_t row = 0;
  for (int64_t t = 1; t < threads; ++t) {
    while (row < rows && positions[row] + row < total * t / threads)
      ++row;
    bounds.push_back(row);
  }
  bounds.push_back(rows);
  return bounds;
}

double leastOf(const std::function<void()> &run) {
  Timed timed{run};
  const int64_t runs = findRuns(timed, 3e-4);
  double least = timeSample(timed, runs);
  for (int i = 0; i < 3; ++i)
    least = std::min(least, timeSample(timed, runs));
  return least;
}

std::string ExpertVariant::text(int64_t columns) const {
  if (columns == 1)
    return longRow == std::numeric_limits<int64_t>::max()
               ? "scalar"
               : "gather from " + std::to_string(longRow);
  return std::to_string(vectors) + " vectors x" + std::to_string(unroll) +
         (prefetch ? ", prefetch " + std::to_string(prefetch) : "") +
         (byStrip ? "" : ", by row");
}

template <typename T>
Expert<T>::Expert(const Csr<T> &a, const T *b, T *c, int64_t columns,
                  int threads, const ExpertVariant &product)
    : a(a), b(b), c(c), columns(columns),
      bounds(balanceRows(a.rows, a.positions, threads)) {
  chosen.adds = product.adds;
  chosen.minPlus = product.minPlus;
  const ExpertLoops &loops = *found().loops;
  if constexpr (std::is_same_v<T, float>)
    rows = product.minPlus ? loops.minPlusF32 : loops.f32;
  else
    rows = product.minPlus ? loops.minPlusF64 : loops.f64;
}

template <typename T>
std::string Expert<T>::instructions() {
  return found().name;
}

template <typename T>
void Expert<T>::run(const ExpertVariant &variant) const {
  const int threads = int(bounds.size()) - 1;
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    rows(a, bounds[t], bounds[t + 1], b, c, columns, variant);
  }
}

template <typename T>
void Expert<T>::run() const {
  run(chosen);
}

template <typename T>
std::vector<ExpertVariant> Expert<T>::variants() const {
  std::vector<ExpertVariant> all;
  if (columns == 1) {
    for (int64_t longRow : {int64_t(8), int64_t(16), int64_t(32), int64_t(128),
                            std::numeric_limits<int64_t>::max()}) {
      ExpertVariant variant = chosen;
      variant.longRow = longRow;
      all.push_back(variant);
    }
    return all;
  }
  const int64_t width = found().vectorBytes / int64_t(sizeof(T));
  const int64_t most = std::min<int64_t>(8, (columns + width - 1) / width);
  for (int64_t vectors = most; vectors >= std::min<int64_t>(most, 2);
       vectors = vectors > 1 && vectors < 4 ? vectors - 1 : vectors / 2)
    for (int prefetch : {0, 4, 16})
      for (int unroll : {1, 2})
        for (bool byStrip : {true, false}) {
          if (!byStrip && vectors * width >= columns)
            continue;
          ExpertVariant variant = chosen;
          variant.vectors = int(vectors);
          variant.prefetch = prefetch;
          variant.unroll = unroll;
          variant.byStrip = byStrip;
          all.push_back(variant);
        }
  return all;
}

template <typename T>
void Expert<T>::tune() {
  double least = std::numeric_limits<double>::infinity();
  for (const ExpertVariant &variant : variants()) {
    const double seconds = leastOf([&] { run(variant); });
    if (seconds >= least)
      continue;
    least = seconds;
    chosen = variant;
  }
}

template class Expert<float>;
template class Expert<double>;

} // namespace astfe::bench
