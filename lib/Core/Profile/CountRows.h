//===- CountRows.h - the bins of sorted rows ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows as CSR has them are in the order of keys already: how many nonzeros a
// box of rows holds is a difference of two positions, and in a row whose
// columns ascend a search tells. So the bins of order `rows`, where nothing is
// permuted, take O(bins x depth) steps and a look at the rows that are cut.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PROFILE_COUNTROWS_H
#define ASTFE_LIB_CORE_PROFILE_COUNTROWS_H

#include "ASTFE/Core/Order/Space.h"
#include "ASTFE/Core/Tensor/SparseView.h"
#include "Profile/CountBins.h"

namespace astfe::core {

/// The bins of a view that passes checkPositions(), by the rule of a depth and
/// `min`; none where the space is another, or a row that has to be cut is not
/// sorted or has kSharedCount nonzeros. Coordinates may be out of range.
std::optional<std::vector<CountedBox>>
countRows(const SparseView &view, const Space &space, int64_t min);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PROFILE_COUNTROWS_H
