//===- LaunchExtents.h - whether operands fit together ----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCHEXTENTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCHEXTENTS_H

#include "HostBuilder.h"
#include "KernelPlan.h"

namespace astfe::gpukernel {

/// What a launch is given.
struct LaunchOperands {
  mlir::Value pattern; ///< null for a view
  llvm::ArrayRef<mlir::Value> inputs;
  mlir::Value output;
  mlir::Value columns; ///< index; null for one
};

/// i1: operands have the extents of the pattern and of each other (a kernel
/// would read beyond a shorter one), and 32 bits count them.
mlir::Value extentsFit(HostBuilder &host, const KernelPlan &plan,
                       const LaunchOperands &given);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCHEXTENTS_H
