//===- Compiled.h - MTTKRP by compilers -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ASTFE's kernel over bricks, and upstream's sparsifier over compressed sparse
// fibers whose first level is the mode that is summed into, with vectors of 16
// elements or none, whichever is faster. Both read the same factors.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_COMPILED_H
#define ASTFE_BENCHMARKS_MTTKRP_COMPILED_H

#include "ASTFE/Core/Graph/Graph.h"
#include "Dense.h"
#include <functional>

namespace astfe::bench {

/// Computes the rows of one mode.
using Compiled = std::function<core::Status(Rows &out)>;

/// By mode; packs by the graph.
core::Result<std::vector<Compiled>> compileOurs(Problem &problem,
                                                const core::Graph &graph);
core::Result<std::vector<Compiled>> compileUpstream(Problem &problem);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_COMPILED_H
