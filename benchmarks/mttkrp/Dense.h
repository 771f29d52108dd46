//===- Dense.h - factors, and rows of them in vectors ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTTKRP of mode k of a tensor X with three modes and factors F of rank 32:
//
//   out[i][r] = sum over the nonzeros (i = coordinate of mode k):
//               value x F_a[coordinate of a][r] x F_b[coordinate of b][r]
//
// with a and b the other two modes. Source: B. Bader, T. Kolda, "Efficient
// MATLAB computations with sparse and factored tensors" (2007).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_DENSE_H
#define ASTFE_BENCHMARKS_MTTKRP_DENSE_H

#include "Generate.h"
#include <cstring>
#include <memory>

namespace astfe::bench {

constexpr int64_t kRank = 32;
/// Entries that the kernel over bricks looks ahead.
constexpr int64_t kAhead = 16;
/// Segments that they look ahead: some slots each.
constexpr int64_t kAheadRows = 8;

/// 16 floats; a row of a factor is two of them.
typedef float Vector __attribute__((vector_size(64), aligned(64)));
struct Row {
  Vector low, high;
};
static_assert(sizeof(Row) == kRank * sizeof(float));

/// Rows that are aligned to their size, zero at first.
class Rows {
public:
  explicit Rows(int64_t count);
  Row *data() { return rows.get(); }
  const Row *data() const { return rows.get(); }
  int64_t count() const { return size; }
  /// Their floats, one row after the other.
  const float *floats() const {
    return reinterpret_cast<const float *>(rows.get());
  }
  float at(int64_t row, int64_t r) const { return floats()[row * kRank + r]; }

private:
  struct Free {
    void operator()(Row *data) const;
  };
  std::unique_ptr<Row[], Free> rows;
  int64_t size;
};

/// A generated tensor; its values are ones.
core::CooTensor asCoo(const Tensor &tensor);

struct Problem {
  core::CooTensor tensor; ///< three modes
  std::vector<float> values;
  std::vector<Rows> factors;

  explicit Problem(core::CooTensor tensor);
  int64_t nonzeros() const { return tensor.nonzeros(); }
  /// The two modes that are read for mode `key`.
  std::pair<unsigned, unsigned> others(unsigned key) const {
    return {key == 0 ? 1u : 0u, key == 2 ? 1u : 2u};
  }
  /// In float64.
  std::vector<double> reference(unsigned key) const;
};

/// The largest error against `expected`, over the largest entry of that.
double worstError(const Rows &rows, const std::vector<double> &expected);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_DENSE_H
