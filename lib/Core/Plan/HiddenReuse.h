//===- HiddenReuse.h - whether a reordering can find anything -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reordering costs many times what a look at the matrix does, and finds nothing
// where nothing is hidden. The look: rows that share the column of least hash
// (min-wise hashing: Broder 1997, the chance is their Jaccard similarity) are
// put together, for a sample of such columns, and it is counted how many of
// their nonzeros meet a column that another of them has met already. The same
// is counted for as many rows that follow each other now. What the former have
// more is what is hidden, as a share of the nonzeros.
//
// Worked example: four equal rows of 16 nonzeros, far apart in the numbering
// and among strangers. Together 48 of their 64 nonzeros meet a known column
// (0.75), as they stand none: 0.75 is hidden. Rows of 16 nonzeros anywhere
// share one column at most: 1/16.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PLAN_HIDDENREUSE_H
#define ASTFE_LIB_CORE_PLAN_HIDDENREUSE_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// The share of nonzeros that rows of CSR would find together in another order.
/// O(nonzeros), by a hash of each.
double hiddenReuse(const SparseView &view);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PLAN_HIDDENREUSE_H
