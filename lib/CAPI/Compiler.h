//===- Compiler.h - where the C API's kernels come from -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_COMPILER_H
#define ASTFE_LIB_CAPI_COMPILER_H

#include "ASTFE/Product/KernelSource.h"

namespace astfe::capi {

/// The compiler of the process, which lives until it ends.
product::KernelSource &compiler();

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_COMPILER_H
