//===- PackOrder.h - column windows, and order inside of groups -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_PACKORDER_H
#define ASTFE_LIB_CORE_PACK_PACKORDER_H

#include "Graph/GroupFinder.h"
#include "Pack/PackStages.h"
#include "Tensor/NonzeroEncoder.h"
#include "Tensor/Nonzeros.h"

namespace astfe::core {

/// The windows of 256 or 65536 columns that groups fall into where columns are
/// stored in 8 or 16 bits, each group's from its smallest column on.
class Windows {
public:
  /// No windows: each group is one, from column 0 on.
  Windows() = default;
  Windows(unsigned columnBits, size_t groups)
      : bits(columnBits), smallest(groups, std::numeric_limits<int32_t>::max()),
        largest(groups, -1) {}

  void include(size_t group, int32_t column) {
    smallest[group] = std::min(smallest[group], column);
    largest[group] = std::max(largest[group], column);
  }
  /// After all columns: numbers the windows of all groups.
  void number(int64_t nonzeros);
  /// Far more windows than nonzeros: to be kept out of tables.
  bool tooMany() const { return many; }
  size_t count() const { return size_t(first.back()); }
  /// The number of the window that holds a column of a group.
  uint32_t find(size_t group, int32_t column) const {
    return uint32_t(first[group] + uint64_t(place(group, column)));
  }
  /// Its number inside of the group.
  int64_t place(size_t group, int32_t column) const {
    return smallest.empty() ? 0 : (int64_t(column) - smallest[group]) >> bits;
  }
  /// The column that a window begins with.
  int32_t firstColumn(size_t window) const;
  int32_t firstColumn(size_t group, int64_t place) const {
    return smallest.empty() ? 0 : int32_t(smallest[group] + (place << bits));
  }

private:
  unsigned bits = 32;
  bool many = false;
  std::vector<int32_t> smallest, largest;
  /// The first window of each group, and the end.
  std::vector<uint64_t> first;
};

/// Sorts the nonzeros inside of each bucket (a group, or one of `windows` where
/// those are not too many) by window, new row number (the row's own where
/// `rowNumbers` is empty) and column, stably, and finds the chunks. source[i]
/// is the caller's number of nonzero i and moves along.
void sortInside(SortedNonzeros &nonzeros, Scratch<int64_t> &source,
                ArrayRef<int64_t> begins, ArrayRef<int64_t> rowNumbers,
                const Windows &windows, unsigned threads);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_PACKORDER_H
