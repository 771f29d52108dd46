//===- Samples.h - matrices to check with ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small, and each with something that kernels get wrong: rows without nonzeros,
// a row that many warps share, blocks that are dense, columns beyond 16 bits,
// nothing at all. Made from seeds, so that they are the same everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_SAMPLES_H
#define ASTFE_TOOLS_GPUCHECK_SAMPLES_H

#include "ASTFE/Core/Tensor/SparseView.h"
#include <string>

namespace astfe::gpucheck {

/// A matrix as CSR.
struct Sample {
  std::string name;
  int64_t rows, columns;
  std::vector<int32_t> positions, coordinates;
  std::vector<double> values;

  core::SparseView view() const;
  int64_t nonzeros() const { return int64_t(coordinates.size()); }
};

std::vector<Sample> samples();

/// `each` nonzeros in every row, anywhere.
Sample uniform(int64_t rows, int64_t columns, int64_t each, uint64_t seed);
/// R-MAT with the probabilities 0.57, 0.19, 0.19: 2^scale rows, and about
/// `nonzeros` (equal ones are one).
Sample rmat(unsigned scale, int64_t nonzeros, uint64_t seed);
/// The five-point stencil of a square with side x side points.
Sample mesh(int64_t side);
/// Each element with the same probability.
Sample pruned(int64_t rows, int64_t columns, double density, uint64_t seed);

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_SAMPLES_H
