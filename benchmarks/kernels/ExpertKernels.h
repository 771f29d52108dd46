//===- ExpertKernels.h - the expert's loops, for any vectors --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included by one file per instruction set, each compiled with its own flags.
// Everything is a template over that file's own `Isa` type, and nothing of the
// standard library is inlined: no code for AVX-512 can end up in a function
// that an older CPU runs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_EXPERTKERNELS_H
#define ASTFE_BENCHMARKS_KERNELS_EXPERTKERNELS_H

#include "Expert.h"

namespace astfe::bench {

/// Products are added up.
struct PlusTimes {
  template <typename V>
  static inline V identity() {
    return V{};
  }
  template <typename V>
  static inline V merge(V a, V b) {
    return a + b;
  }
  template <typename V>
  static inline V add(V sum, V x, V y) {
    return sum + x * y;
  }
};

/// The least of sums, as shortest paths need it.
struct MinPlus {
  template <typename V>
  static inline V identity() {
    return V{} + __builtin_inff();
  }
  template <typename V>
  static inline V merge(V a, V b) {
    return b < a ? b : a;
  }
  template <typename V>
  static inline V add(V sum, V x, V y) {
    return merge(sum, x + y);
  }
};

template <typename T, int W>
struct VectorOf {
  typedef T Type __attribute__((vector_size(W * sizeof(T))));
  typedef int32_t Index __attribute__((vector_size(W * 4)));
};

template <typename Isa, typename T, int W>
struct Lanes {
  using Vector = typename VectorOf<T, W>::Type;

  static inline Vector load(const T *p) {
    Vector v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }
  static inline void store(T *p, Vector v) {
    __builtin_memcpy(p, &v, sizeof(v));
  }
  static inline Vector splat(T x) { return x - Vector{}; }
  template <typename Sum>
  static inline T sum(Vector v) {
    if constexpr (W == 1) {
      return v[0];
    } else {
      typename VectorOf<T, W / 2>::Type half[2];
      __builtin_memcpy(half, &v, sizeof(v));
      return Lanes<Isa, T, W / 2>::template sum<Sum>(
          Sum::merge(half[0], half[1]));
    }
  }
};

/// A strip of V vectors of C for a run of rows; with Tail the last vector has
/// only `tail` columns.
template <typename Isa, typename Sum, typename T, int W, int V, int Unroll,
          bool Tail>
struct Strip {
  using L = Lanes<Isa, T, W>;
  using Vector = typename L::Vector;
  /// Few vectors need several sums each to hide the latency of an addition.
  static constexpr int Sums = V >= 4 ? 1 : Unroll;

  static inline Vector load(const T *p, int v, int tail) {
    if (Tail && v == V - 1)
      return Isa::template loadFirst<T, W>(p + v * W, tail);
    return L::load(p + v * W);
  }
  static inline void store(T *p, int v, int tail, Vector x) {
    if (Tail && v == V - 1)
      Isa::template storeFirst<T, W>(p + v * W, tail, x);
    else
      L::store(p + v * W, x);
  }
  static inline void prefetchRow(const T *p) {
    constexpr int Step = 64 / sizeof(T);
    for (int i = 0; i < V * W; i += Step)
      __builtin_prefetch(p + i, 0, 3);
  }

  template <bool Prefetch>
  static void rows(const Csr<T> &a, int64_t begin, int64_t end, const T *b,
                   T *c, int64_t columns, int tail,
                   const ExpertVariant &variant) {
    const int ahead = variant.prefetch;
    const bool adds = variant.adds;
    const int64_t last = a.positions[a.rows];
    for (int64_t i = begin; i < end; ++i) {
      int64_t k = a.positions[i];
      const int64_t stop = a.positions[i + 1];
      Vector sums[Sums][V];
      T *out = c + i * columns;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        sums[0][v] =
            adds ? load(out, v, tail) : Sum::template identity<Vector>();
        for (int s = 1; s < Sums; ++s)
          sums[s][v] = Sum::template identity<Vector>();
      }
      auto add = [&](int64_t at, int s) __attribute__((always_inline)) {
        const Vector x = L::splat(a.values[at]);
        const T *in = b + int64_t(a.coordinates[at]) * columns;
#pragma unroll
        for (int v = 0; v < V; ++v)
          sums[s][v] = Sum::add(sums[s][v], x, load(in, v, tail));
      };
      for (; k + Unroll <= stop; k += Unroll) {
        if (Prefetch && k + ahead + Unroll <= last)
#pragma unroll
          for (int u = 0; u < Unroll; ++u)
            prefetchRow(b + int64_t(a.coordinates[k + ahead + u]) * columns);
#pragma unroll
        for (int u = 0; u < Unroll; ++u)
          add(k + u, u % Sums);
      }
      for (; k < stop; ++k)
        add(k, 0);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        for (int s = 1; s < Sums; ++s)
          sums[0][v] = Sum::merge(sums[0][v], sums[s][v]);
        store(out, v, tail, sums[0][v]);
      }
    }
  }
};

/// What a strip's loops are told.
template <typename T>
struct StripCall {
  const Csr<T> &a;
  int64_t begin, end;
  const T *b;
  T *c;
  int64_t columns;
  int tail;
  const ExpertVariant &variant;
};

template <typename Isa, typename Sum, typename T, int W, int V, int Unroll,
          bool Tail>
void callStrip(const StripCall<T> &x) {
  using P = Strip<Isa, Sum, T, W, V, Unroll, Tail>;
  if (x.variant.prefetch)
    P::template rows<true>(x.a, x.begin, x.end, x.b, x.c, x.columns, x.tail,
                           x.variant);
  else
    P::template rows<false>(x.a, x.begin, x.end, x.b, x.c, x.columns, x.tail,
                            x.variant);
}

template <typename Isa, typename Sum, typename T, int W, int V>
void chooseStrip(const StripCall<T> &x, int vectors) {
  if constexpr (V > 1)
    if (vectors < V)
      return chooseStrip<Isa, Sum, T, W, V - 1>(x, vectors);
  const bool twice = x.variant.unroll == 2;
  if (x.tail)
    twice ? callStrip<Isa, Sum, T, W, V, 2, true>(x)
          : callStrip<Isa, Sum, T, W, V, 1, true>(x);
  else
    twice ? callStrip<Isa, Sum, T, W, V, 2, false>(x)
          : callStrip<Isa, Sum, T, W, V, 1, false>(x);
}

/// All strips of rows [begin, end).
template <typename Isa, typename Sum, typename T, int W>
void strips(const Csr<T> &a, int64_t begin, int64_t end, const T *b, T *c,
            int64_t columns, const ExpertVariant &variant) {
  const int64_t strip = int64_t(variant.vectors) * W;
  for (int64_t first = 0; first < columns; first += strip) {
    const int64_t left = columns - first < strip ? columns - first : strip;
    chooseStrip<Isa, Sum, T, W, 8>(
        {a, begin, end, b + first, c + first, columns, int(left % W), variant},
        int((left + W - 1) / W));
  }
}

/// One column: y = A x.
template <typename Isa, typename Sum, typename T, int W>
void dots(const Csr<T> &a, int64_t begin, int64_t end, const T *x, T *y,
          const ExpertVariant &variant) {
  const int64_t longRow = variant.longRow;
  using L = Lanes<Isa, T, W>;
  using Vector = typename L::Vector;
  for (int64_t i = begin; i < end; ++i) {
    int64_t k = a.positions[i];
    const int64_t stop = a.positions[i + 1];
    T total = variant.adds ? y[i] : Sum::template identity<T>(),
      second = Sum::template identity<T>();
    if (stop - k >= longRow) {
      Vector sum0 = Sum::template identity<Vector>(), sum1 = sum0;
      for (; k + 2 * W <= stop; k += 2 * W) {
        sum0 = Sum::add(sum0, L::load(a.values + k),
                        Isa::template gather<T, W>(x, a.coordinates + k));
        sum1 = Sum::add(sum1, L::load(a.values + k + W),
                        Isa::template gather<T, W>(x, a.coordinates + k + W));
      }
      for (; k + W <= stop; k += W)
        sum0 = Sum::add(sum0, L::load(a.values + k),
                        Isa::template gather<T, W>(x, a.coordinates + k));
      total = Sum::merge(total, L::template sum<Sum>(Sum::merge(sum0, sum1)));
    }
    for (; k + 2 <= stop; k += 2) {
      total = Sum::add(total, a.values[k], x[a.coordinates[k]]);
      second = Sum::add(second, a.values[k + 1], x[a.coordinates[k + 1]]);
    }
    if (k < stop)
      total = Sum::add(total, a.values[k], x[a.coordinates[k]]);
    y[i] = Sum::merge(total, second);
  }
}

/// The narrowest vectors that hold all columns, up to the widest there are.
template <typename Isa, typename Sum, typename T, int W>
void expertRows(const Csr<T> &a, int64_t begin, int64_t end, const T *b, T *c,
                int64_t columns, const ExpertVariant &variant) {
  if constexpr (W > 16 / sizeof(T))
    if (columns <= W / 2)
      return expertRows<Isa, Sum, T, W / 2>(a, begin, end, b, c, columns,
                                            variant);
  strips<Isa, Sum, T, W>(a, begin, end, b, c, columns, variant);
}

template <typename Isa, typename Sum, typename T>
void expertProduct(const Csr<T> &a, int64_t begin, int64_t end, const T *b,
                   T *c, int64_t columns, const ExpertVariant &variant) {
  constexpr int W = Isa::Bytes / sizeof(T);
  if (columns == 1)
    return dots<Isa, Sum, T, W>(a, begin, end, b, c, variant);
  if (variant.byStrip)
    return expertRows<Isa, Sum, T, W>(a, begin, end, b, c, columns, variant);
  for (int64_t i = begin; i < end; ++i)
    expertRows<Isa, Sum, T, W>(a, i, i + 1, b, c, columns, variant);
}

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_EXPERTKERNELS_H
