//===- SampledExpert.h - sampled products by hand -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// samples[n] = values[n] <X_i, Y_j> over plain CSR, as a specialist writes it:
// the row of X in registers where it is 1, 2, 4 or 8 vectors long, four
// nonzeros at a time, whose sums are added up together, with AVX-512 or AVX2 as
// the compiler is told. OpenMP threads take chunks of rows as they come, or
// have runs of rows with equal nonzeros; rows of Y are fetched ahead or not.
// tune() runs all of these and keeps the fastest.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_SDDMM_SAMPLEDEXPERT_H
#define ASTFE_BENCHMARKS_SDDMM_SAMPLEDEXPERT_H

#include <cstdint>
#include <string>
#include <vector>

namespace astfe::bench {

/// A matrix by rows, and dense rows of X and of Y, `inner` long.
struct Sampled {
  int64_t rows;
  const int32_t *positions, *coordinates;
  const float *values, *x, *y;
  int64_t inner;
};

class SampledExpert {
public:
  SampledExpert(const Sampled &sampled, float *samples, int threads);

  /// Samples are written.
  void tune();
  void run() const { run(chosen); }
  std::string text() const;

private:
  struct Variant {
    bool chunks = true; ///< of 64 rows, as they come
    int ahead = 0;      ///< nonzeros
  };
  void run(const Variant &variant) const;

  Sampled sampled;
  float *samples;
  int threads;
  std::vector<int64_t> bounds;
  Variant chosen;
};

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_SDDMM_SAMPLEDEXPERT_H
