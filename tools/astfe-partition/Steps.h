//===- Steps.h - the steps of astfe-partition -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File -> order -> profile -> G(0) -> refined -> fused -> workers, each step
// reported in one line as it is done.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_PARTITION_STEPS_H
#define ASTFE_TOOLS_PARTITION_STEPS_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Reorder/Reorder.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include <functional>

namespace astfe::tools {

struct PartitionRequest {
  std::string tensor, graphJson; ///< files
  int64_t workers = 64;
  /// None is auto: the order with the least predicted time (matrices), else
  /// Hilbert.
  std::optional<core::OrderKind> order;
  /// None is auto too; other tensors than matrices are not reordered then.
  std::optional<core::ReorderKind> reorder;
  int64_t hubs = core::kAutoHubs;
  std::optional<int64_t> leaf;     ///< none: auto
  std::optional<double> threshold; ///< none: auto
  int64_t min = 256;
  int64_t threads = 1;
  bool edges = false;
  core::Duplicates duplicates = core::Duplicates::Error;
};

/// Receives the name of a step and what it found.
using Report =
    std::function<void(const std::string &step, const std::string &text)>;

/// Takes all steps; the graph file is written last or, on error, not at all.
core::Status runPartition(const PartitionRequest &request,
                          const Report &report);

} // namespace astfe::tools

#endif // ASTFE_TOOLS_PARTITION_STEPS_H
