//===- TensorMatrix.h - the matrix that a tensor is for a sum ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum over one mode into rows of some others is the product of a matrix: the
// coordinates of the modes that are kept, as one number, are its rows, and
// those of the mode that is summed over its columns. TTM is SpMM, and TTV is
// SpMV, with the result's elements where they are. Each row of the result is
// then written once, from registers, as its fiber is in one place, while bricks
// (Bricks.h) add to it from each that has a part of the fiber.
//
// The matrix has a position for each row of the result, whether it has nonzeros
// or not; bricks read and write one for each nonzero, at most. Few nonzeros of a
// result that a cache holds are better off with bricks: prefersMatrix(). Beyond
// the caches a row is at least a line there. Sums of halves with several columns
// are better off with the matrix wherever they are, as bricks keep them in f32
// beside the result.
//
// Worked example: 2x3x2, nonzeros (0,2,1) (1,0,0) (0,2,0) (1,1,1), rows of the
// modes 0 and 1, columns of mode 2: 6 x 2, row 2 has the columns 0 1 (nonzeros
// 2 0), row 3 column 0 (nonzero 1), row 4 column 1 (nonzero 3).
//
// Source: B. Bader, T. Kolda, "Efficient MATLAB computations with sparse and
// factored tensors" (2007), for products of tensors as those of matrices.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_TENSORMATRIX_H
#define ASTFE_CORE_BRICKS_TENSORMATRIX_H

#include "ASTFE/Core/Bricks/Bricks.h"
#include <limits>

namespace astfe::core {

/// Which modes are what of the matrix. Modes that are neither are summed over:
/// nonzeros that differ in them only are several entries of one place.
struct MatrixModes {
  std::vector<unsigned> rows; ///< the first one counts most
  unsigned column = 0;

  bool operator<(const MatrixModes &other) const {
    return std::tie(rows, column) < std::tie(other.rows, other.column);
  }
  /// The extents of the matrix; none where indices of 32 bits do not number
  /// its rows or columns.
  std::optional<std::array<int64_t, 2>>
  shapeOf(const std::vector<int64_t> &shape) const;
};

/// CSR, columns ascending in each row, and equal ones in the source's order.
struct TensorMatrix {
  std::array<int64_t, 2> shape;
  std::vector<int64_t> positions;
  Table<int32_t> columns;
  Table<int64_t> nonzeroOf; ///< of the source, by entry

  SparseView view() const;
};

/// Whether a product whose result has rows of so many columns reads and writes
/// less by the matrix: a position for each of `rows` against a row of the
/// result for each nonzero, twice; lines of it, where it outgrows the last
/// cache. So it does with one column, of which slices of rows write a line at
/// once (of 14 sums over modes, on one thread, the matrix was 0.94 to 3.3 times as
/// fast as bricks, and 1.28 times or more in ten).
///
/// With several columns bricks are faster where they add to a result in a cache
/// whose rows are shorter than a line and have two nonzeros at most, as a matrix
/// has a row's begin and end for these: with two columns of tensors of any rank,
/// with more of rank 3, whose slots have few coordinates. A cache has it where
/// result and nonzeros together fit half of the last one. The two parts of a
/// complex number count as columns there, and as one element elsewhere.
bool prefersMatrix(unsigned rank, int64_t rows, int64_t nonzeros,
                   int64_t columns, int64_t elementBytes, int64_t parts = 1);

/// The matrix of these modes, which differ. Fails where they are not the
/// tensor's, where it has no shape, and where it would take more than `memory`
/// bytes while it is made. O(nonzeros x rank + rows).
Result<TensorMatrix>
tensorMatrix(const Bricks &bricks, const MatrixModes &modes,
             int64_t memory = std::numeric_limits<int64_t>::max(),
             unsigned threads = 1);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_TENSORMATRIX_H
