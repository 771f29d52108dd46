//===- Hubs.h - rows and columns that touch everything --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hub is a row (or column) with so many nonzeros that no numbering can keep
// its neighbours near: it ties all parts of a partition together and hides the
// structure of the rest. Hubs are moved to the front, left out of what a
// reordering looks at, and given parts of their own (Arrange.h).
//
// Worked example: a tridiagonal matrix of 1000 rows whose row 500 is full. The
// mean row holds 4 nonzeros, row 500 all 1000: one hub row, no hub column.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_REORDER_HUBS_H
#define ASTFE_CORE_REORDER_HUBS_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// Indices, ascending.
struct Hubs {
  std::vector<int64_t> rows, columns;

  bool empty() const { return rows.empty() && columns.empty(); }
};

/// How many hubs to look for in each mode.
constexpr int64_t kNoHubs = 0, kAutoHubs = -1;

/// "none", "auto" or a number from 1, as options spell it.
std::optional<int64_t> parseHubs(std::string_view text);

/// The hubs of a matrix, at most `most` in each mode: rows of at least eight
/// times the mean of the rows that hold any, which are half full or do at least
/// 1/64 of all work. kAutoHubs finds them all, as long as they are no more than
/// 1/16 of the rows that hold any (else nothing stands out, and there are
/// none). Those with most nonzeros are taken first, the smaller index on a tie.
/// O(nonzeros + rows + columns). Fails for other than two modes, `most` below
/// -1, and extents above 2^31-1.
Result<Hubs> findHubs(const SparseView &view, int64_t most = kAutoHubs);

} // namespace astfe::core

#endif // ASTFE_CORE_REORDER_HUBS_H
