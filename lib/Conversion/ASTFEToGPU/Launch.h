//===- Launch.h - the host side of a GPU compute --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCH_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCH_H

#include "Kernels.h"

namespace astfe::gpukernel {

/// Replaces the compute of `plan` by calls, copies and launches of the kernels
/// in `module`. With `deviceOperands` the dense operands are in device memory.
void lowerToLaunch(mlir::RewriterBase &rewriter, const KernelPlan &plan,
                   mlir::gpu::GPUModuleOp module, bool deviceOperands);

/// Replaces `op` by what `launch` builds from the buffers of its inputs and of
/// its output.
void replaceByLaunch(mlir::RewriterBase &rewriter, ComputeOp op,
                     llvm::function_ref<void(Values, mlir::Value)> launch);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_LAUNCH_H
