//===- Repartition.h - whether packing pays -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_REPARTITION_H
#define ASTFE_LIB_TRANSFORMS_REPARTITION_H

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Graph/Partition.h"

namespace astfe {

/// The cost model's verdict on packing a viewed pattern, or its transpose
/// (PackedRows.h). Nonzeros lie where the known profile says; without one the
/// verdict is that on a nominal matrix, 16 nonzeros in every row and any column
/// (64Ki rows and columns where dynamic). A profile says nothing of where those
/// of a column lie: of transposes, and of views whose nonzeros add to what
/// their coordinates name, its shape and its sum count alone. A pattern that no
/// computation reads gains nothing. Fails as core::partition() does.
core::Result<core::Repartition>
predictRepartition(PackOp pack, ProfileAttr known, bool transposed,
                   const core::Machine &machine, int64_t assumedColumns,
                   const core::PartitionOptions &options, int64_t expectedRuns);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_REPARTITION_H
