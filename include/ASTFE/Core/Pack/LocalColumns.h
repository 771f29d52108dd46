//===- LocalColumns.h - columns of 16 bits in wide matrices -----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product with one column waits for the nonzeros, of which f32 has 4 bytes of
// value and 4 of column. Where rows that follow each other have columns near
// each other, a run of rows has them within 65536, and stores them in 16 bits
// from its first column on: a quarter of the bytes less. This is the index
// compression of Willcock and Lumsdaine, "Accelerating sparse matrix
// computations via data compression" (ICS 2006), with a base for each run
// instead of differences, so that nothing is decoded.
//
// Worked example: a grid of 1000 x 1000 points, whose rows reach 1000 columns
// to either side, has runs of 63,000 rows, 16 of them. Random columns among a
// million have none.
//
// A run begins at the first row that does not fit into the one before: the
// fewest runs there are. Runs go on over groups of the graph. As they end
// slices and rows that are sorted by length, they have to be long: kLocalRun
// nonzeros in the mean. One row that reaches farther, as in a periodic grid,
// leaves 32 bits to all.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_LOCALCOLUMNS_H
#define ASTFE_CORE_PACK_LOCALCOLUMNS_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// Bits for the columns of a matrix that a host's products read in the order of
/// a graph: what numbers all of them (bitsForColumns), or 16 where the rows of
/// a sound CSR ascend, are taken as they are and have long runs. O(nonzeros)
/// where the matrix has more than 65536 columns.
uint8_t bitsForRows(const SparseView &view, const Graph &graph,
                    unsigned threads);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_LOCALCOLUMNS_H
