//===- Volume.h - what workers have to exchange ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication volume of a matrix whose nonzeros are dealt out to workers:
// the sum over all rows and columns of (workers that touch it) - 1. A row of
// several workers is an output that has to be added up, a column of several an
// input that each has to fetch.
//
// Worked example: the 2x2 matrix [[a, b], [c, d]] on two workers by rows has
// the volume 2: each column is touched by both.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_ORDERS_VOLUME_H
#define ASTFE_BENCHMARKS_ORDERS_VOLUME_H

#include "ASTFE/Core/Tensor/SparseView.h"
#include <optional>

namespace astfe::bench {

/// workerOf[n] is the worker of nonzero n.
int64_t volume(const core::SparseView &view,
               const std::vector<int32_t> &workerOf);

/// The nonzeros along the orders of `space`, cut into equal runs.
std::vector<int32_t> cutEqually(const core::SparseView &view,
                                const core::Space &space, int64_t workers);

/// The volume of a peer's partition of the rows of a square matrix
/// (RowGraph.h), and the seconds that it took.
struct PeerVolume {
  int64_t volume;
  double seconds;
};

/// METIS, k-way, objective volume. Nothing without METIS, or for matrices that
/// have no row graph.
std::optional<PeerVolume> metisVolume(const core::SparseView &view,
                                      int64_t workers);
/// Scotch with its default strategy, which minimises the edges cut; else the
/// same.
std::optional<PeerVolume> scotchVolume(const core::SparseView &view,
                                       int64_t workers);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_ORDERS_VOLUME_H
