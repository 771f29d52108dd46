//===- Compiled.h - products of tensors by compilers ------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ASTFE's kernel over bricks, and upstream's sparsifier over compressed sparse
// fibers whose first level is the mode that is summed into, with vectors of 16
// elements or none, whichever is faster. Both read the same factors: an operand
// with a mode and columns is the factor of the mode, one with a mode alone is
// as many of its first floats.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_COMPILED_H
#define ASTFE_BENCHMARKS_MTTKRP_COMPILED_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Product/TensorRequest.h"
#include "Dense.h"
#include <functional>

namespace astfe::bench {

/// Computes one product, whose result is stored at `out`, as DenseTensor has
/// it.
using Compiled = std::function<core::Status(Row *out)>;
using Products = std::vector<product::TensorProduct>;

/// By product; packs by the graph, which takes `packSeconds`, and makes the
/// copies of modes in the first runs.
core::Result<std::vector<Compiled>> compileOurs(Problem &problem,
                                                const core::Graph &graph,
                                                const Products &products,
                                                double *packSeconds = nullptr);
core::Result<std::vector<Compiled>> compileUpstream(Problem &problem,
                                                    const Products &products);

/// Rows that hold the result of a product.
Rows resultOf(const Problem &problem, const product::TensorProduct &product);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_COMPILED_H
