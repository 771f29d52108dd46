//===- RowLengths.h - rows sorted by length -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// **Definition.** A run of rows that are stored anew is sorted by length,
// longest first and stably, so that rows of a length follow each other.
//
// **Worked example.** Rows of 2, 1, 2 and 3 nonzeros become those of 3, 2, 2
// and 1: what a loop over a row expects of the next is wrong twice instead of
// three times. O(rows), O(rows log rows) where lengths differ by far.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_CLASSES_ROWLENGTHS_H
#define ASTFE_LIB_CORE_PACK_CLASSES_ROWLENGTHS_H

#include "Pack/RowRepacker.h"
#include <vector>

namespace astfe::core {

class LengthSorter {
public:
  /// Sorts rows [begin, end), not empty.
  void sort(std::vector<SortedRow> &rows, size_t begin, size_t end);

private:
  std::vector<uint32_t> lengths;
  std::vector<SortedRow> sorted;
};

/// Rows of another length than the one before; there is one row at least.
int64_t countSurprises(const std::vector<SortedRow> &rows);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_CLASSES_ROWLENGTHS_H
