//===- ChainMatrix.h - a matrix that chains walk, both ways ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain matrix is a pattern and its values, and both in the order of its
// columns, which is made when gradients by column first ask for it. Any number
// of threads may run chains; new values wait for chains that run.
//
// Worked example, with values of 4 bytes:
//
//   auto matrix = ChainMatrix::create(view, /*elementBytes=*/4);
//   matrix->setValues(values);
//   matrix->makeColumns();
//   auto lock = matrix->holdValues();
//   matrix->pass(call, ChainMatrix::Walk::Columns); // the transposed matrix
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_CHAINMATRIX_H
#define ASTFE_PRODUCT_CHAINMATRIX_H

#include "ASTFE/Product/ChainPattern.h"
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace astfe::product {

class ChainMatrix {
public:
  /// Whether a chain walks the rows of the matrix or of its transpose.
  enum class Walk { Rows, Columns };

  /// A copy of a checked view of compressed rows, without values: the pattern
  /// alone, until some are set. Fails as ChainPattern::copy().
  static core::Result<std::unique_ptr<ChainMatrix>>
  create(const core::SparseView &view, size_t elementBytes);

  /// Copies an element for each nonzero; waits for what holds the values.
  void setValues(const void *given);

  /// Makes the order of the columns, unless it is made.
  void makeColumns();

  /// The values stay as they are while it lives. A thread holds them once.
  std::shared_lock<std::shared_mutex> holdValues() const {
    return std::shared_lock<std::shared_mutex>(mutex);
  }
  /// The arguments of a function for `tensor<?x?, #CSR>`, whose rows are those
  /// of the walk; to be held. Columns have to be made.
  void pass(PackedCall &call, Walk walk) const;

  int64_t rows() const { return byRow.rows; }
  int64_t columns() const { return byRow.columns; }
  int64_t nonzeros() const { return byRow.nonzeros(); }

private:
  ChainMatrix(ChainPattern pattern, size_t elementBytes)
      : byRow(std::move(pattern)), elementBytes(elementBytes) {}
  void orderValues();

  const ChainPattern byRow;
  const size_t elementBytes;
  std::once_flag columnsOnce;
  mutable std::shared_mutex mutex; ///< of what follows
  ChainPattern byColumn;
  std::vector<int32_t> order; ///< of byColumn's entries
  std::vector<char> values, valuesByColumn;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_CHAINMATRIX_H
