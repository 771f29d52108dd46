//===- Inputs.h - what the benchmarks of the partitioner read -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_PARTITION_INPUTS_H
#define ASTFE_BENCHMARKS_PARTITION_INPUTS_H

#include "Generate.h"
#include <benchmark/benchmark.h>

namespace astfe::bench {

/// Two as CSR, and COO of three modes.
enum class Input { Uniform, Rmat, Tensor3d };

/// About `nonzeros` of them. Only the last one asked for is kept.
core::SparseView viewOf(Input input, int64_t nonzeros);

/// Nonzeros by threads: 1e6, 1e7 and 3e7 on one thread, 1e7 on two.
void allSizes(benchmark::internal::Benchmark *benchmark);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_PARTITION_INPUTS_H
