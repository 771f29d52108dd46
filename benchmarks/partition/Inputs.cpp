//===- Inputs.cpp - what the benchmarks of the partitioner read -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

using namespace astfe::core;

namespace astfe::bench {

SparseView viewOf(Input input, int64_t nonzeros) {
  static Matrix matrix;
  static Tensor tensor;
  static std::pair<Input, int64_t> kept{Input::Uniform, -1};
  if (kept != std::make_pair(input, nonzeros)) {
    kept = {input, nonzeros};
    matrix = {};
    tensor = {};
    if (input == Input::Tensor3d)
      tensor = generateTensor(3, nonzeros, true);
    else
      matrix = generate(input == Input::Rmat ? MatrixClass::Rmat
                                             : MatrixClass::Uniform,
                        nonzeros);
  }
  return input == Input::Tensor3d ? tensor.view() : matrix.view();
}

void allSizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->ArgNames({"nonzeros", "threads"})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Args({1000000, 1})
      ->Args({10000000, 1})
      ->Args({10000000, 2})
      ->Args({30000000, 1});
}

} // namespace astfe::bench
