//===- MachineLoops.cpp - the loops that a machine is measured by ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/MachineLoops.h"
#include <cstring>

#define ASTFE_INLINE inline __attribute__((always_inline))

namespace astfe::core {
namespace {

typedef float Vector __attribute__((vector_size(64)));
typedef float Four __attribute__((vector_size(16)));

template <typename T>
ASTFE_INLINE T load(const float *from) {
  T x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}

/// One nonzero on V vectors.
template <int V>
ASTFE_INLINE void addNonzero(const LoopRows &a, int32_t k, const float *b,
                             Vector *sums) {
  const float *row = b + int64_t(a.coordinates[k]) * V * 16;
  for (int v = 0; v < V; ++v)
    sums[v] += load<Vector>(row + v * 16) * a.values[k];
}

/// V vectors of columns: eight chains of sums, several nonzeros at a time.
template <int V>
ASTFE_INLINE void addRows(const LoopRows &a, const float *b, float *c) {
  constexpr int Step = V == 1 ? 4 : 2, Sets = V >= 8 ? 1 : Step;
  for (int64_t i = 0; i < a.count; ++i) {
    Vector sums[Sets][V] = {};
    int32_t k = a.positions[i];
    const int32_t end = a.positions[i + 1];
    for (const int32_t middle = k + (end - k) / Step * Step; k < middle;
         k += Step)
      for (int s = 0; s < Step; ++s)
        addNonzero<V>(a, k + s, b, sums[s % Sets]);
    for (; k < end; ++k)
      addNonzero<V>(a, k, b, sums[0]);
    float *row = c + i * V * 16;
    for (int v = 0; v < V; ++v) {
      for (int s = 1; s < Sets; ++s)
        sums[0][v] += sums[s][v];
      const Vector sum = load<Vector>(row + v * 16) + sums[0][v];
      std::memcpy(row + v * 16, &sum, sizeof(sum));
    }
  }
}

/// Whole vectors of nonzeros from k on, as long as they fit.
template <typename T, int Lanes>
ASTFE_INLINE T addLanes(const LoopRows &a, int32_t &k, int32_t end,
                        const float *x, T sums) {
  for (; k + Lanes <= end; k += Lanes) {
    T gathered;
    for (int l = 0; l < Lanes; ++l)
      gathered[l] = x[a.coordinates[k + l]];
    sums += gathered * load<T>(a.values + k);
  }
  return sums;
}

/// One column: vectors of nonzeros, vectors of four, and the rest.
ASTFE_INLINE void addDots(const LoopRows &a, const float *x, float *y) {
  for (int64_t i = 0; i < a.count; ++i) {
    int32_t k = a.positions[i];
    const int32_t end = a.positions[i + 1];
    Four sums = {};
    if (end - k >= 16) {
      const Vector wide = addLanes<Vector, 16>(a, k, end, x, Vector{});
      for (int l = 0; l < 16; ++l)
        sums[l % 4] += wide[l];
    }
    sums = addLanes<Four, 4>(a, k, end, x, sums);
    float sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (; k < end; ++k)
      sum += a.values[k] * x[a.coordinates[k]];
    y[i] += sum;
  }
}

ASTFE_INLINE void product(const LoopRows &a, int64_t width, const float *b,
                          float *c) {
  if (width == 1)
    addDots(a, b, c);
  else if (width == 16)
    addRows<1>(a, b, c);
  else
    addRows<8>(a, b, c);
}

ASTFE_INLINE float stream(const float *x, size_t count) {
  Vector sums[4] = {};
  for (size_t i = 0; i + 64 <= count; i += 64)
    for (int v = 0; v < 4; ++v)
      sums[v] += load<Vector>(x + i + 16 * v);
  return (sums[0] + sums[1] + sums[2] + sums[3])[0];
}

/// Eight chains, more than a multiply-add takes cycles.
ASTFE_INLINE float registers(int64_t count, float factor) {
  Vector sums[8] = {};
  for (int64_t i = 0; i < count; ++i)
    for (Vector &sum : sums)
      sum = sum * factor + 1.0f;
  Vector all = {};
  for (const Vector &sum : sums)
    all += sum;
  return all[0];
}

#define ASTFE_LOOPS(name, attribute)                                           \
  attribute void product##name(const LoopRows &a, int64_t width,               \
                               const float *b, float *c) {                     \
    product(a, width, b, c);                                                   \
  }                                                                            \
  attribute float stream##name(const float *x, size_t count) {                 \
    return stream(x, count);                                                   \
  }                                                                            \
  attribute float registers##name(int64_t count, float factor) {               \
    return registers(count, factor);                                           \
  }                                                                            \
  const MachineLoops loops##name = {product##name, stream##name,               \
                                    registers##name};

ASTFE_LOOPS(Plain, )
#if defined(__x86_64__)
ASTFE_LOOPS(AVX2, __attribute__((target("avx2,fma"))))
ASTFE_LOOPS(AVX512, __attribute__((target("avx512f,avx512vl,avx2,fma"))))
#endif

} // namespace

const MachineLoops &machineLoops() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    return loopsAVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return loopsAVX2;
#endif
  return loopsPlain;
}

} // namespace astfe::core
