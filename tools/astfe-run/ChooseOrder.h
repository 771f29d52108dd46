//===- ChooseOrder.h - the order of a product's graph ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_CHOOSEORDER_H
#define ASTFE_TOOLS_RUN_CHOOSEORDER_H

#include "Problem.h"

namespace astfe::run {

struct ChosenOrder {
  core::OrderKind order = core::OrderKind::Rows;
  /// The settings with order, reordering and hubs as chosen.
  Settings settings;
  core::Graph graph; ///< fused
  int64_t trafficBytes = 0; ///< modelled, with these
  double seconds = 0;       ///< that the choice took
};

/// The order and the reordering that the settings name, or those with the least
/// predicted time.
core::Result<ChosenOrder> chooseOrder(const Settings &settings,
                                      const Problem &problem);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_CHOOSEORDER_H
