//===- ExpertAVX512.cpp - the expert's loops with AVX-512 -----------------===//
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

struct AVX512 {
  static constexpr int Bytes = 64;
  template <typename T, int W>
  using Vector = typename VectorOf<T, W>::Type;

  template <typename T, int W>
  static inline Vector<T, W> loadFirst(const T *p, int n) {
    const unsigned mask = (1u << n) - 1;
    if constexpr (sizeof(T) == 4 && W == 16)
      return (Vector<T, W>)_mm512_maskz_loadu_ps(mask, p);
    else if constexpr (sizeof(T) == 4 && W == 8)
      return (Vector<T, W>)_mm256_maskz_loadu_ps(mask, p);
    else if constexpr (sizeof(T) == 4)
      return (Vector<T, W>)_mm_maskz_loadu_ps(mask, p);
    else if constexpr (W == 8)
      return (Vector<T, W>)_mm512_maskz_loadu_pd(mask, p);
    else if constexpr (W == 4)
      return (Vector<T, W>)_mm256_maskz_loadu_pd(mask, p);
    else
      return (Vector<T, W>)_mm_maskz_loadu_pd(mask, p);
  }

  template <typename T, int W>
  static inline void storeFirst(T *p, int n, Vector<T, W> v) {
    const unsigned mask = (1u << n) - 1;
    if constexpr (sizeof(T) == 4 && W == 16)
      _mm512_mask_storeu_ps(p, mask, (__m512)v);
    else if constexpr (sizeof(T) == 4 && W == 8)
      _mm256_mask_storeu_ps(p, mask, (__m256)v);
    else if constexpr (sizeof(T) == 4)
      _mm_mask_storeu_ps(p, mask, (__m128)v);
    else if constexpr (W == 8)
      _mm512_mask_storeu_pd(p, mask, (__m512d)v);
    else if constexpr (W == 4)
      _mm256_mask_storeu_pd(p, mask, (__m256d)v);
    else
      _mm_mask_storeu_pd(p, mask, (__m128d)v);
  }

  template <typename T, int W>
  static inline Vector<T, W> gather(const T *x, const int32_t *at) {
    if constexpr (sizeof(T) == 4)
      return (Vector<T, W>)_mm512_i32gather_ps(
          _mm512_loadu_si512((const void *)at), x, 4);
    else
      return (Vector<T, W>)_mm512_i32gather_pd(
          _mm256_loadu_si256((const __m256i *)at), x, 8);
  }
};

} // namespace

const ExpertLoops expertAVX512 = {expertProduct<AVX512, PlusTimes, float>,
                                  expertProduct<AVX512, PlusTimes, double>,
                                  expertProduct<AVX512, MinPlus, float>,
                                  expertProduct<AVX512, MinPlus, double>};

} // namespace astfe::bench
