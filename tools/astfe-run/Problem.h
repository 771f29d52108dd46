//===- Problem.h - operands, reference and error of one product -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PROBLEM_H
#define ASTFE_TOOLS_RUN_PROBLEM_H

#include "Settings.h"
#include <new>
#include <vector>

namespace astfe::run {

/// Memory that begins at a cache line, as that of PyTorch and of most
/// allocators for numerical data does: rows of 16 floats then never straddle
/// two lines.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t Line{64};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(size_t n) {
    return static_cast<T *>(::operator new(n * sizeof(T), Line));
  }
  void deallocate(T *p, size_t) { ::operator delete(p, Line); }
  friend bool operator==(AlignedAllocator, AlignedAllocator) { return true; }
  friend bool operator!=(AlignedAllocator, AlignedAllocator) { return false; }
};

/// A dense row-major matrix of f32 or f64; only one of the vectors is used.
struct Dense {
  int64_t rows = 0, columns = 0;
  bool isDouble = false;
  std::vector<float, AlignedAllocator<float>> values32;
  std::vector<double, AlignedAllocator<double>> values64;

  static Dense zero(int64_t rows, int64_t columns, bool isDouble);
  /// Uniform in [-1, 1), the same for the same seed on every machine.
  static Dense random(int64_t rows, int64_t columns, bool isDouble,
                      uint64_t seed);
  /// This word in each 32 bits: 0 for zeros.
  void fill(uint32_t word);
  void *data() {
    return isDouble ? (void *)values64.data() : (void *)values32.data();
  }
  const void *data() const {
    return isDouble ? (const void *)values64.data()
                    : (const void *)values32.data();
  }
  double at(int64_t i) const {
    return isDouble ? values64[i] : double(values32[i]);
  }
};

/// A as the compiled code takes it (CSR, 32-bit indices), and its dense
/// operands.
struct Problem {
  int64_t rows = 0, columns = 0; ///< of A as it is stored
  bool transposed = false;       ///< the product is with A^T
  std::vector<int32_t> positions, coordinates;
  Dense values;  ///< nonzeros x 1
  Dense operand; ///< B, or Y
  Dense left;    ///< X of samples

  /// The result is one sample a nonzero, of X Y^T.
  bool isSampled() const { return left.columns != 0; }
  int64_t nonzeros() const { return int64_t(coordinates.size()); }
  /// Rows and columns of what is multiplied: A or A^T.
  int64_t resultRows() const { return transposed ? columns : rows; }
  int64_t depth() const { return transposed ? rows : columns; }
  /// What is multiplied: A's arrays are those of A^T by columns.
  core::SparseView view() const;
};

/// Zeros of the shape of the result.
Dense emptyResult(const Problem &problem, const Settings &settings);

/// Reads the matrix; fails if its indices do not fit 32 bits.
core::Result<Problem> readProblem(const Settings &settings);
/// The same for a matrix in memory, whose name in errors is settings.matrix.
core::Result<Problem> makeProblem(const Settings &settings,
                                  const core::CsrMatrix &csr);

/// How far a result is from float64.
struct Difference {
  /// max |c - reference| / (sum of |terms|); infinite where one is NaN and the
  /// other is not.
  double maxRelative = 0;
  /// Every entry lies within the bound (k + 2) u of a dot product of k terms
  /// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
  bool passed = true;
};
Difference compare(const Problem &problem, const Dense &result,
                   unsigned threads = 1);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PROBLEM_H
