//===- SampledExpert.cpp - sampled products by hand -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampledExpert.h"
#include "Expert.h"
#include <algorithm>
#include <atomic>
#include <limits>
#ifdef __AVX2__
#include <immintrin.h>
#endif

extern "C" int omp_get_thread_num(void);

using namespace astfe::bench;

static float dot(const float *x, const float *y, int64_t inner) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t k = 0; k < inner; ++k)
    sum += x[k] * y[k];
  return sum;
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
typedef __m512 Vector;
static Vector load(const float *p) { return _mm512_loadu_ps(p); }
/// The sums of four vectors, in a vector.
static __m128 sumsOf(__m512 a, __m512 b, __m512 c, __m512 d) {
  const __m512 ab =
      _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  const __m512 cd =
      _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
  const __m512 four =
      _mm512_add_ps(_mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                    _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
  const __m256 two = _mm256_add_ps(_mm512_castps512_ps256(four),
                                   _mm512_extractf32x8_ps(four, 1));
  return _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
}
#define ASTFE_SAMPLES_IN_VECTORS
#elif defined(__AVX2__)
typedef __m256 Vector;
static Vector load(const float *p) { return _mm256_loadu_ps(p); }
/// The sums of four vectors, in a vector.
static __m128 sumsOf(__m256 a, __m256 b, __m256 c, __m256 d) {
  const __m256 four =
      _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(four),
                    _mm256_extractf128_ps(four, 1));
}
#define ASTFE_SAMPLES_IN_VECTORS
#endif

#ifdef ASTFE_SAMPLES_IN_VECTORS
/// One row with V vectors: returns how many of its nonzeros are done.
template <int V>
static int32_t sampleFours(const Sampled &s, int64_t row, float *samples,
                           int ahead) {
  constexpr int64_t kInner = V * int64_t(sizeof(Vector) / sizeof(float));
  Vector x[V];
  for (int v = 0; v < V; ++v)
    x[v] = load(s.x + row * kInner + v * (kInner / V));
  auto rowOf = [&](int32_t n) {
    return s.y + int64_t(s.coordinates[n]) * kInner;
  };
  auto products = [&](int32_t n) {
    const float *y = rowOf(n);
    Vector sum = x[0] * load(y);
    for (int v = 1; v < V; ++v)
      sum += x[v] * load(y + v * (kInner / V));
    return sum;
  };
  const int32_t last = s.positions[s.rows] - 1;
  int32_t n = s.positions[row];
  for (; n + 4 <= s.positions[row + 1]; n += 4) {
    for (int k = 0; ahead && k < 4; ++k)
      for (int64_t at = 0; at < kInner; at += 16)
        __builtin_prefetch(rowOf(std::min(n + k + ahead, last)) + at);
    const __m128 sums =
        sumsOf(products(n), products(n + 1), products(n + 2), products(n + 3));
    _mm_storeu_ps(samples + n, _mm_mul_ps(sums, _mm_loadu_ps(s.values + n)));
  }
  return n;
}
#endif

static void sampleRow(const Sampled &s, int64_t row, float *samples,
                      int ahead) {
  int32_t n = s.positions[row];
#ifdef ASTFE_SAMPLES_IN_VECTORS
  constexpr int64_t kLanes = sizeof(Vector) / sizeof(float);
  switch (s.inner % kLanes ? 0 : s.inner / kLanes) {
  case 1:
    n = sampleFours<1>(s, row, samples, ahead);
    break;
  case 2:
    n = sampleFours<2>(s, row, samples, ahead);
    break;
  case 4:
    n = sampleFours<4>(s, row, samples, ahead);
    break;
  case 8:
    n = sampleFours<8>(s, row, samples, ahead);
    break;
  default:
    break;
  }
#endif
  for (; n < s.positions[row + 1]; ++n)
    samples[n] =
        s.values[n] * dot(s.x + row * s.inner,
                          s.y + int64_t(s.coordinates[n]) * s.inner, s.inner);
}

SampledExpert::SampledExpert(const Sampled &sampled, float *samples,
                             int threads)
    : sampled(sampled), samples(samples), threads(threads),
      bounds(balanceRows(sampled.rows, sampled.positions, threads)) {}

void SampledExpert::run(const Variant &variant) const {
  constexpr int64_t kChunk = 64;
  std::atomic<int64_t> next{0};
#pragma omp parallel num_threads(threads)
  {
    auto take = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        sampleRow(sampled, row, samples, variant.ahead);
    };
    const auto thread = size_t(omp_get_thread_num());
    if (!variant.chunks)
      take(bounds[thread], bounds[thread + 1]);
    else
      for (int64_t first; (first = next.fetch_add(kChunk)) < sampled.rows;)
        take(first, std::min(first + kChunk, sampled.rows));
  }
}

void SampledExpert::tune() {
  double least = std::numeric_limits<double>::max();
  for (bool chunks : {true, false})
    for (int ahead : {0, 8, 16}) {
      const Variant variant{chunks, ahead};
      const double seconds = leastOf([&] { run(variant); });
      if (seconds >= least)
        continue;
      least = seconds;
      chosen = variant;
    }
}

std::string SampledExpert::text() const {
  return std::string(chosen.chunks ? "chunks" : "runs") +
         (chosen.ahead ? ", prefetch " + std::to_string(chosen.ahead) : "");
}
