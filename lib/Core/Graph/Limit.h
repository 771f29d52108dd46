//===- Limit.h - T, the work above which a block is split -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_GRAPH_LIMIT_H
#define ASTFE_LIB_CORE_GRAPH_LIMIT_H

#include "Graph/Leaves.h"

namespace astfe::core {

/// An error unless tau is in (1/2, 1) and workers and waves are at least 1.
Status checkLimitOptions(std::optional<double> threshold, int64_t workers,
                         int64_t waves);

/// floor(tau/(1-tau) x median), exactly: a double in (1/2, 1) is an integer
/// over 2^53, so this is one 128-bit division and the same on every machine.
int64_t scaledMedian(double tau, int64_t median);

/// T = max(tau/(1-tau) M, total / (workers x waves), 1), rounded down, which
/// changes no comparison of an integer with it. `median` receives M, the lower
/// median over the leaves with nonzeros.
int64_t workLimit(ArrayRef<Leaf> leaves, std::optional<double> threshold,
                  int64_t workers, int64_t waves, int64_t *median = nullptr);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_GRAPH_LIMIT_H
