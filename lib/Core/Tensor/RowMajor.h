//===- RowMajor.h - matrices whose nonzeros ascend by row and column ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CSR and COO whose entries ascend by (row, column), equal ones allowed.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TENSOR_ROWMAJOR_H
#define ASTFE_LIB_CORE_TENSOR_ROWMAJOR_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// O(nonzeros). CSC and levels never are, whatever they hold.
bool isRowMajor(const SparseView &view, unsigned threads);

/// The rows of CSR in the order of their new numbers.
class NewRows {
public:
  NewRows(const IndexArray &positions, ArrayRef<int64_t> numbers);

  int64_t oldNumber(size_t row) const { return old[row]; }
  /// The first row with at least `nonzeros` nonzeros before it, so that pieces
  /// of the nonzeros become pieces of the rows. The last piece's end is the
  /// number of rows.
  size_t startingAt(int64_t nonzeros) const;

private:
  std::vector<int64_t> old, before;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TENSOR_ROWMAJOR_H
