//===- Duplicates.h - coordinates that occur twice ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and adds up duplicates of a tensor that was just read. Files are mostly
// sorted by rows or by columns: then one look at each entry is all; otherwise
// a radix sort.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TENSOR_DUPLICATES_H
#define ASTFE_LIB_CORE_TENSOR_DUPLICATES_H

#include "ASTFE/Core/Tensor/CooTensor.h"

namespace astfe::core {

/// Entries `first` < `second` at the same coordinates.
struct DuplicatePair {
  int64_t first, second;
};

/// The pair whose second entry comes first in the file.
std::optional<DuplicatePair> findDuplicate(const CooTensor &tensor);

/// Adds later entries to the first one at their coordinates, in file order.
/// Of integers of so many bits the first entry whose sum does not fit, which
/// leaves the tensor half summed; 0 is of other values.
std::optional<int64_t> sumDuplicates(CooTensor &tensor,
                                     unsigned integerBits = 0);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TENSOR_DUPLICATES_H
