//===- ExpertPlain.cpp - the expert's loops for any CPU -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpertIsa.h"
#include "ExpertKernels.h"

namespace astfe::bench {
namespace {

struct Plain {
  static constexpr int Bytes = 16;
  template <typename T, int W>
  using Vector = typename VectorOf<T, W>::Type;

  template <typename T, int W>
  static inline Vector<T, W> loadFirst(const T *p, int n) {
    Vector<T, W> v{};
    for (int i = 0; i < n; ++i)
      v[i] = p[i];
    return v;
  }
  template <typename T, int W>
  static inline void storeFirst(T *p, int n, Vector<T, W> v) {
    for (int i = 0; i < n; ++i)
      p[i] = v[i];
  }
  template <typename T, int W>
  static inline Vector<T, W> gather(const T *x, const int32_t *at) {
    Vector<T, W> v{};
    for (int i = 0; i < W; ++i)
      v[i] = x[at[i]];
    return v;
  }
};

} // namespace

const ExpertLoops expertPlain = {expertProduct<Plain, PlusTimes, float>,
                                 expertProduct<Plain, PlusTimes, double>,
                                 expertProduct<Plain, MinPlus, float>,
                                 expertProduct<Plain, MinPlus, double>};

} // namespace astfe::bench
