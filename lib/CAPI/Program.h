//===- Program.h - a compiled module and the context it came from ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_PROGRAM_H
#define ASTFE_LIB_CAPI_PROGRAM_H

#include "ASTFE/Execution/KernelCache.h"

namespace astfe::capi {

/// Parses `text`, runs `pipeline` and compiles, or takes what the process's
/// cache has of it. Each call has a context of its own, so that threads compile
/// side by side.
core::Result<std::shared_ptr<Jit>> compileText(llvm::StringRef text,
                                               llvm::StringRef pipeline);

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_PROGRAM_H
