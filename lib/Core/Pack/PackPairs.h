//===- PackPairs.h - rows of a window that share columns ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two rows of a window go together where they have columns in common: a kernel
// then reads a vector of the dense operand once for both. No slot is filled:
// each row has all its nonzeros, those that both have first.
//
//   columns of row 4:  1 3 5 6    shared 3 6    stored  3 6 | 1 5
//   columns of row 9:  2 3 6                            3 6 2
//
// Finding them is a matching; a good one is enough: rows from the longest on,
// each with that of the next 32 which shares most. (In pruned
// layers where one in four is a nonzero, rows share 39 % of their nonzeros so;
// neighbours 25 %, the best of all 42 %.)
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_PACKPAIRS_H
#define ASTFE_LIB_CORE_PACK_PACKPAIRS_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include <cstddef>

namespace astfe::core {

/// Sorted nonzeros of one row.
struct RowRun {
  int64_t begin, end;
  int64_t count() const { return end - begin; }
};

/// Rows by their numbers in what they were chosen from.
struct Pairing {
  std::vector<size_t> paired; ///< first, second, first, second, ...
  std::vector<size_t> single;
};

/// Pairs of rows of the window that begins at `firstColumn`; none where too few
/// nonzeros are shared to be worth it. `column` has the column of each nonzero,
/// ascending in a row. O(nonzeros + rows log(rows) + 32 rows).
Pairing pairRows(const std::vector<RowRun> &rows, const int32_t *column,
                 int64_t firstColumn);

/// The nonzeros of two rows with those first that share a column, one to one:
/// both rows have these in the same order. What is left ascends as before.
struct SharedFirst {
  std::vector<int64_t> first, second;

  void split(const RowRun &a, const RowRun &b, const int32_t *column);

private:
  std::vector<int64_t> restOfFirst, restOfSecond;
};

/// How many nonzeros a kernel takes together of two rows in that order: those
/// up to the first that differs, but not all of the first row's.
int64_t sharedOf(const RowRun &a, const RowRun &b, const int32_t *column);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_PACKPAIRS_H
