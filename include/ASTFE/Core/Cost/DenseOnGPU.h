//===- DenseOnGPU.h - when a dense product is faster ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU multiplies dense matrices so much faster than it gathers rows that a
// matrix with a fifth of its entries, or fewer, may better be stored whole.
// Both times are those of a GPU in general (gpuMachine()).
//
// Worked example: a quarter of 4096 x 4096 entries and 512 columns take 0.34 ms
// as dense matrices; 4.2 million rows of 2 KiB from L2 take 1.4 ms.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_COST_DENSEONGPU_H
#define ASTFE_CORE_COST_DENSEONGPU_H

#include "ASTFE/Core/Cost/Cost.h"

namespace astfe::core {

/// Of a matrix packed by a graph of two modes. O(blocks).
double packedSecondsOnGPU(const Product &product, const Graph &graph);

/// Of dense matrices of f32 or f64 with the same extents. O(1).
double denseSecondsOnGPU(const Product &product, ArrayRef<int64_t> shape);

} // namespace astfe::core

#endif // ASTFE_CORE_COST_DENSEONGPU_H
