//===- ExpertAVX2.cpp - the expert's loops with AVX2 ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpertIsa.h"
#include "ExpertKernels.h"
#include <immintrin.h>

namespace astfe::bench {
namespace {

struct AVX2 {
  static constexpr int Bytes = 32;
  template <typename T, int W>
  using Vector = typename VectorOf<T, W>::Type;

  static inline __m256i mask32(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static inline __m256i mask64(int n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n),
                              _mm256_setr_epi64x(0, 1, 2, 3));
  }

  template <typename T, int W>
  static inline Vector<T, W> loadFirst(const T *p, int n) {
    if constexpr (sizeof(T) == 4 && W == 8)
      return (Vector<T, W>)_mm256_maskload_ps(p, mask32(n));
    else if constexpr (sizeof(T) == 4)
      return (Vector<T, W>)_mm_maskload_ps(p,
                                           _mm256_castsi256_si128(mask32(n)));
    else if constexpr (W == 4)
      return (Vector<T, W>)_mm256_maskload_pd(p, mask64(n));
    else
      return (Vector<T, W>)_mm_maskload_pd(p,
                                           _mm256_castsi256_si128(mask64(n)));
  }

  template <typename T, int W>
  static inline void storeFirst(T *p, int n, Vector<T, W> v) {
    if constexpr (sizeof(T) == 4 && W == 8)
      _mm256_maskstore_ps(p, mask32(n), (__m256)v);
    else if constexpr (sizeof(T) == 4)
      _mm_maskstore_ps(p, _mm256_castsi256_si128(mask32(n)), (__m128)v);
    else if constexpr (W == 4)
      _mm256_maskstore_pd(p, mask64(n), (__m256d)v);
    else
      _mm_maskstore_pd(p, _mm256_castsi256_si128(mask64(n)), (__m128d)v);
  }

  template <typename T, int W>
  static inline Vector<T, W> gather(const T *x, const int32_t *at) {
    if constexpr (sizeof(T) == 4)
      return (Vector<T, W>)_mm256_i32gather_ps(
          x, _mm256_loadu_si256((const __m256i *)at), 4);
    else
      return (Vector<T, W>)_mm256_i32gather_pd(
          x, _mm_loadu_si128((const __m128i *)at), 8);
  }
};

} // namespace

const ExpertLoops expertAVX2 = {expertProduct<AVX2, PlusTimes, float>,
                                expertProduct<AVX2, PlusTimes, double>,
                                expertProduct<AVX2, MinPlus, float>,
                                expertProduct<AVX2, MinPlus, double>};

} // namespace astfe::bench
