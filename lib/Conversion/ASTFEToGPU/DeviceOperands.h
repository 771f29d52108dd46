//===- DeviceOperands.h - operands that are on the device -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `device-operands` pointers come from outside. A kernel that follows one
// to the host, or loads from an address that its type does not divide, ends the
// context, for all of the process; and what it writes must not be what it
// reads. So host code asks the runtime before it launches.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_DEVICEOPERANDS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_DEVICEOPERANDS_H

#include "Emitter.h"
#include "HostBuilder.h"

namespace astfe::gpukernel {

/// Buffers by what texts call them.
struct DeviceOperands {
  Values inputs, outputs;
  mlir::Value positions, coordinates; ///< null where there is no view
};

/// Emits `compute` for operands that kernels reach, none of which overlaps an
/// output. The runtime keeps the text of what is wrong.
void whereReachable(HostBuilder &host, const DeviceOperands &operands,
                    llvm::function_ref<void()> compute);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_DEVICEOPERANDS_H
