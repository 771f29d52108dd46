//===- Expert.h - the kernel that an expert writes by hand ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The honest rival: C = A B, or C += A B, over plain CSR, written and tuned as
// a specialist would do it in an afternoon, without touching the storage; also
// over the semiring of minima and sums.
//
//   - OpenMP; each thread has a run of rows with the same work, counted in
//     nonzeros plus rows, so that one heavy region does not hold up the rest;
//   - a strip of columns of C stays in vector registers over the whole row;
//   - rows of B are prefetched some nonzeros ahead;
//   - wide B is cut into column strips, walked strip by strip (a slab of B
//     stays in the cache) or row by row;
//   - one column: dot products by gathers for long rows, scalar for short ones;
//   - vectors of AVX-512, AVX2 or whatever the compiler has, by the CPU found.
//
// All of these are variants; tune() runs each and keeps the fastest for this
// problem, which is more than most libraries do. Its cost is shown.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_EXPERT_H
#define ASTFE_BENCHMARKS_KERNELS_EXPERT_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace astfe::bench {

/// A sparse matrix by rows; T is float or double.
template <typename T>
struct Csr {
  int64_t rows = 0;
  const int32_t *positions = nullptr;
  const int32_t *coordinates = nullptr;
  const T *values = nullptr;
};

/// Runs of rows with equal nonzeros plus rows: threads + 1 bounds.
std::vector<int64_t> balanceRows(int64_t rows, const int32_t *positions,
                                 int threads);

/// The least seconds of a few samples of `run`, after one to warm up.
double leastOf(const std::function<void()> &run);

/// One way to run a product.
struct ExpertVariant {
  int vectors = 1;      ///< vectors of a column strip, 1 to 8
  int unroll = 1;       ///< nonzeros of an iteration, 1 or 2
  int prefetch = 0;     ///< nonzeros ahead; 0: none
  bool byStrip = true;  ///< all rows of a strip before the next strip
  int64_t longRow = 16; ///< one column: rows from here on use vectors
  bool adds = false;    ///< C += A B, not C = A B
  bool minPlus = false; ///< c_ir = min over j of a_ij + b_jr

  std::string text(int64_t columns) const;
};

/// Rows [begin, end) of C = A B with B and C row-major and dense. `columns` of
/// 1 is a vector.
template <typename T>
using ExpertRows = void (*)(const Csr<T> &a, int64_t begin, int64_t end,
                            const T *b, T *c, int64_t columns,
                            const ExpertVariant &variant);

template <typename T>
class Expert {
public:
  /// Of `product`, `adds` and `minPlus` are read.
  Expert(const Csr<T> &a, const T *b, T *c, int64_t columns, int threads,
         const ExpertVariant &product);

  /// Runs all variants that make sense for this problem and keeps the fastest.
  /// C is written.
  void tune();
  void run() const;

  const ExpertVariant &variant() const { return chosen; }
  /// The instructions in use: "avx512", "avx2" or "plain".
  static std::string instructions();

private:
  std::vector<ExpertVariant> variants() const;
  void run(const ExpertVariant &variant) const;

  Csr<T> a;
  const T *b;
  T *c;
  int64_t columns;
  ExpertRows<T> rows;
  std::vector<int64_t> bounds; ///< first row of each thread, and the end
  ExpertVariant chosen;
};

extern template class Expert<float>;
extern template class Expert<double>;

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_EXPERT_H
