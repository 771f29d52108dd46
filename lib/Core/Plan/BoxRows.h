//===- BoxRows.h - rows that boxes of a matrix touch ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A curve walks boxes. Of a box whose rows and columns a cache holds, each row
// of the dense operands that its nonzeros touch comes into that cache once. How
// many these are is known from the number of nonzeros in each box, without
// sorting any: k in a box of s x s touch s (1-(1-1/s)^k) rows and as many
// columns (Cardenas 1975). Where a curve has to be sorted to be predicted, this
// look at some bands of boxes tells whether there is anything to be gained.
//
// Worked example: a tenth of all cells. Boxes of 32 x 32 have 102 nonzeros and
// touch 31 rows and 31 columns, 0.6 for each nonzero; row by row nearly each
// nonzero takes a column that 32 others do not.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PLAN_BOXROWS_H
#define ASTFE_LIB_CORE_PLAN_BOXROWS_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

struct BoxRows {
  int64_t rows = 0, columns = 0; ///< of all boxes, added up
};

/// Of boxes of 2^log2 rows and columns in a matrix by rows, from bands of boxes
/// that hold about `sample` nonzeros, one band at least. O(sample).
BoxRows boxRows(const SparseView &view, unsigned log2, int64_t sample);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PLAN_BOXROWS_H
