//===- PackOracle.h - packed patterns read back by brute force ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the tables of Packed.h as its comment says and no faster, so that pack
// can be tested against what it was given.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_CORE_PACKORACLE_H
#define ASTFE_UNITTESTS_CORE_PACKORACLE_H

#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include <random>

namespace astfe::core {

/// A stored entry: where it is and which one of the source it is (-1: none).
struct Entry {
  int64_t row, column, nonzero;
  bool operator==(const Entry &o) const {
    return row == o.row && column == o.column && nonzero == o.nonzero;
  }
  bool operator<(const Entry &o) const {
    return std::tie(nonzero, row, column) <
           std::tie(o.nonzero, o.row, o.column);
  }
};

/// The entries of a view, sorted by number.
std::vector<Entry> entriesOf(const SparseView &view);
/// The segment of each slot of a span.
std::vector<int64_t> segmentOfSlots(const Packed &packed, size_t span);
/// The entries of all slots, sorted by number; zero-filled ones left out.
std::vector<Entry> entriesOf(const Packed &packed);

/// y = A x by each of the two ways that Packed.h gives kernels.
std::vector<double> multiplyByTarget(const Packed &packed,
                                     const std::vector<double> &values,
                                     const std::vector<double> &x);
std::vector<double> multiplyByRow(const Packed &packed,
                                  const std::vector<double> &values,
                                  const std::vector<double> &x);
std::vector<double> multiply(const SparseView &view,
                             const std::vector<double> &values,
                             const std::vector<double> &x);

/// A graph whose blocks are the bins of a counted profile, `run` of them in
/// each group.
Graph graphOf(const SparseView &view, OrderKind order, int64_t min = 8,
              int64_t run = 3);
Graph graphOf(const SparseView &view, const Space &space, int64_t min = 8,
              int64_t run = 3);

/// A matrix with a few dense tiles, short rows, a dense row and duplicates.
CooTensor mixedMatrix(int64_t rows, int64_t columns, int64_t count,
                      unsigned seed);
/// A matrix with one full tile and nothing else.
CooTensor tileMatrix(int64_t rows, int64_t columns, int64_t row, int64_t column,
                     int64_t height, int64_t width);
/// Row i has lengths[i] nonzeros in columns i, i + 7, ...
CooTensor rowsOfLengths(const std::vector<int64_t> &lengths,
                        int64_t columns = 1000);
/// Spans of a class.
int64_t spansOf(const Packed &packed, SegmentClass kind);
/// pack(), which must succeed.
Packed packed(const SparseView &view, const Graph &graph,
              const PackOptions &options);
/// Everything that must hold for any packed matrix.
void expectExact(const SparseView &view, const Packed &packed);
/// Values 1, 2, 3, ...: sums of products of small integers are exact.
std::vector<double> counting(int64_t count);

} // namespace astfe::core

#endif // ASTFE_UNITTESTS_CORE_PACKORACLE_H
