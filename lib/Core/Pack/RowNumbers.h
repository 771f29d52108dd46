//===- RowNumbers.h - dense numbers for the rows that segments write ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables by row are tables by row number. The numbers are the rows themselves,
// or, where a tensor has far more rows than segments, ranks among those
// written, so that such tables never outgrow the segments by much.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_ROWNUMBERS_H
#define ASTFE_LIB_CORE_PACK_ROWNUMBERS_H

#include "ASTFE/Core/Pack/Packed.h"
#include <algorithm>

namespace astfe::core {

class RowNumbers {
public:
  /// Rows may be marked as shared (~row). O(segments log segments) where rows
  /// are far more.
  explicit RowNumbers(const Packed &packed) : rows(packed.shape[0]) {
    if (rows / 4 <= packed.segments() + 1024)
      return;
    for (int32_t entry : packed.segmentRow)
      written.push_back(entry < 0 ? ~entry : entry);
    std::sort(written.begin(), written.end());
    written.erase(std::unique(written.begin(), written.end()), written.end());
    rows = int64_t(written.size());
  }

  size_t count() const { return size_t(rows); }
  /// Of a row that some segment writes. Of others it is that of the next one
  /// which has a number, which is the row itself where all rows have numbers.
  size_t number(int32_t row) const {
    if (written.empty())
      return size_t(row);
    return size_t(std::lower_bound(written.begin(), written.end(), row) -
                  written.begin());
  }
  int32_t row(size_t number) const {
    return written.empty() ? int32_t(number) : written[number];
  }

private:
  int64_t rows;
  std::vector<int32_t> written;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_ROWNUMBERS_H
