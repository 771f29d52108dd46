//===- DenseOnGPU.cpp - when a dense product is faster --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost/DenseOnGPU.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include <algorithm>

namespace astfe::core {

double packedSecondsOnGPU(const Product &product, const Graph &graph) {
  const Machine machine = gpuMachine();
  const std::vector<int64_t> &shape = graph.space.shape;
  Work work;
  for (size_t i = 0; i != graph.size(); ++i)
    work.add(boxWork(machine, product, graph.box(i), shape, graph.nonzeros[i]));
  work.rows = std::min(work.rows, shape[0] + shape[1]);
  work.threadRows = std::min(work.threadRows, machine.threads * work.rows);
  return predict(machine, product, work).seconds;
}

double denseSecondsOnGPU(const Product &product, ArrayRef<int64_t> shape) {
  const Machine machine = gpuMachine();
  const auto rows = double(shape[0]), inner = double(shape[1]),
             columns = double(product.columns);
  // A multiplication and an addition.
  const double operations = 2 * rows * inner * columns / rules::kGPUDenseRate;
  const double bytes = double(product.elementBytes) *
                       (rows * inner + inner * columns + rows * columns);
  const size_t level =
      bytes <= double(machine.cacheBytes.back()) ? 1 : Machine::Caches;
  const double moved =
      bytes / (machine.streamBytesPerSecond[level] * double(machine.threads));
  return machine.startSeconds + std::max(operations, moved);
}

} // namespace astfe::core
