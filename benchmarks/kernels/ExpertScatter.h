//===- ExpertScatter.h - A^T B by hand from A's own arrays ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rival of A^T B that makes no copy of A: row i of B is added, times each
// nonzero of row i of A, to the row of C that the nonzero's column names. Rows
// of C then belong to no thread. Either each thread has rows of A and a C of
// its own, and these are added up in the end, or each has columns of B and C
// and walks all of A; tune() runs both, with rows of C fetched ahead or not,
// and keeps the fastest. Expert.h over a transposed copy is the other rival.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_EXPERTSCATTER_H
#define ASTFE_BENCHMARKS_KERNELS_EXPERTSCATTER_H

#include "Expert.h"

namespace astfe::bench {

struct ScatterVariant {
  bool byColumns = false; ///< threads share columns, not rows of A
  int ahead = 0;          ///< nonzeros whose rows of C are fetched ahead

  std::string text() const;
};

template <typename T>
class ExpertScatter {
public:
  /// C has `rows` rows; `adds` is C += A^T B.
  ExpertScatter(const Csr<T> &a, int64_t rows, const T *b, T *c,
                int64_t columns, int threads, bool adds);

  /// C is written.
  void tune();
  void run() const;
  const ScatterVariant &variant() const { return chosen; }

private:
  void run(const ScatterVariant &variant) const;
  void runByRows(int thread, int ahead) const;
  void runByColumns(int thread, int ahead) const;
  /// Adds the threads' own outputs to C: this thread's share of the elements.
  void combine(int thread) const;

  Csr<T> a;
  int64_t rows;
  const T *b;
  T *c;
  int64_t columns;
  int threads;
  bool adds;
  std::vector<int64_t> bounds; ///< first row of A of each thread, and the end
  mutable std::vector<std::vector<T>> own; ///< outputs of all threads but one
  ScatterVariant chosen;
};

extern template class ExpertScatter<float>;
extern template class ExpertScatter<double>;

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_EXPERTSCATTER_H
