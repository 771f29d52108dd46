//===- FinishHost.h - host loops to the LLVM dialect ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What convert-astfe-to-scf leaves goes through upstream's sparsifier where
// somebody has something to do for it: ops on sparse tensors, linalg ops,
// slices. Mostly nobody has: loops, loads and stores are left, for which the
// sparsifier's forty passes take as long as the compiler behind them. They get
// eight.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_FINISHHOST_H
#define ASTFE_LIB_PIPELINES_FINISHHOST_H

#include "mlir/Pass/Pass.h"

namespace astfe {

/// Leaves the LLVM dialect, and OpenMP's ops for finishOpenMP.
std::unique_ptr<mlir::Pass> createFinishHostPass();

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_FINISHHOST_H
