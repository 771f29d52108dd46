//===- Expert.cpp - sampled products by hand ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expert.h"
#include <algorithm>
#include <atomic>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

using namespace astfe::bench;

static float dot(const float *x, const float *y, int64_t inner) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = 0; k < inner; ++k)
    sum += x[k] * y[k];
  return sum;
}

#ifdef __AVX512F__
/// One row with 64 columns: returns how many of its nonzeros are done.
static int32_t sampleFours(const Sampled &s, int64_t row, float *samples) {
  const float *x = s.x + row * 64;
  const __m512 x0 = _mm512_loadu_ps(x), x1 = _mm512_loadu_ps(x + 16),
               x2 = _mm512_loadu_ps(x + 32), x3 = _mm512_loadu_ps(x + 48);
  auto products = [&](int32_t n) {
    const float *y = s.y + int64_t(s.coordinates[n]) * 64;
    __m512 sum = _mm512_mul_ps(x0, _mm512_loadu_ps(y));
    sum = _mm512_fmadd_ps(x1, _mm512_loadu_ps(y + 16), sum);
    sum = _mm512_fmadd_ps(x2, _mm512_loadu_ps(y + 32), sum);
    return _mm512_fmadd_ps(x3, _mm512_loadu_ps(y + 48), sum);
  };
  int32_t n = s.positions[row];
  for (; n + 4 <= s.positions[row + 1]; n += 4) {
    const __m512 a = products(n), b = products(n + 1), c = products(n + 2),
                 d = products(n + 3);
    const __m512 ab =
        _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const __m512 cd =
        _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    const __m512 low = _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                 high = _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2));
    const __m512 four = _mm512_add_ps(low, high);
    const __m256 two = _mm256_add_ps(_mm512_castps512_ps256(four),
                                     _mm512_extractf32x8_ps(four, 1));
    const __m128 sums =
        _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
    _mm_storeu_ps(samples + n, _mm_mul_ps(sums, _mm_loadu_ps(s.values + n)));
  }
  return n;
}
#endif

static void sampleRow(const Sampled &s, int64_t row, float *samples) {
  int32_t n = s.positions[row];
#ifdef __AVX512F__
  if (s.inner == 64)
    n = sampleFours(s, row, samples);
#endif
  for (; n < s.positions[row + 1]; ++n)
    samples[n] = s.values[n] * dot(s.x + row * s.inner,
                                   s.y + s.coordinates[n] * s.inner, s.inner);
}

void astfe::bench::sampleByHand(const Sampled &s, float *samples, int threads) {
  constexpr int64_t kChunk = 64;
  std::atomic<int64_t> next{0};
#pragma omp parallel num_threads(threads)
  for (int64_t first; (first = next.fetch_add(kChunk)) < s.rows;)
    for (int64_t row = first; row < std::min(first + kChunk, s.rows); ++row)
      sampleRow(s, row, samples);
}
