//===- ColumnRun.h - rows whose columns fit into a window -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_COLUMNRUN_H
#define ASTFE_LIB_CORE_PACK_COLUMNRUN_H

#include "ASTFE/Core/Target/Constants.h"
#include <algorithm>
#include <cstdint>
#include <limits>

namespace astfe::core {

/// The columns of a run of rows, at most 2^bits from the least to the greatest.
class ColumnRun {
public:
  explicit ColumnRun(unsigned bits) : width(int64_t(1) << bits) {}

  /// How many runs a matrix may have.
  static int64_t most(int64_t nonzeros) {
    return std::max<int64_t>(1, nonzeros / rules::kLocalRun);
  }

  /// Whether a row with such columns fits into any run.
  bool fits(int64_t first, int64_t last) const { return last - first < width; }

  /// Adds a row that fits into some run; true where it begins another one.
  bool add(int64_t first, int64_t last) {
    const bool begins = greatest >= least &&
                        !fits(std::min(least, first), std::max(greatest, last));
    if (begins) {
      least = first;
      greatest = last;
    }
    least = std::min(least, first);
    greatest = std::max(greatest, last);
    return begins;
  }

  int64_t firstColumn() const { return least; }

private:
  int64_t width;
  int64_t least = std::numeric_limits<int64_t>::max(), greatest = -1;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_COLUMNRUN_H
