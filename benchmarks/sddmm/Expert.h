//===- Expert.h - sampled products by hand --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_SDDMM_EXPERT_H
#define ASTFE_BENCHMARKS_SDDMM_EXPERT_H

#include <cstdint>

namespace astfe::bench {

/// A matrix by rows, and dense rows of X and of Y, `inner` long.
struct Sampled {
  int64_t rows;
  const int32_t *positions, *coordinates;
  const float *values, *x, *y;
  int64_t inner;
};

/// samples[n] = values[n] <X_i, Y_j>, on the threads of OpenMP, with AVX-512
/// where the compiler has it: dynamic chunks of rows, the row of X in registers
/// for 64 columns, four nonzeros at a time.
void sampleByHand(const Sampled &sampled, float *samples, int threads);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_SDDMM_EXPERT_H
