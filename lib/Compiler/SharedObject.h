//===- SharedObject.h - compiled code that loads without LLVM -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_COMPILER_SHAREDOBJECT_H
#define ASTFE_LIB_COMPILER_SHAREDOBJECT_H

#include "ASTFE/Execution/Jit.h"
#include <string>

namespace astfe {

/// The bytes of a shared object, linked by LLD, that holds the same code and
/// needs libastfe_runtime.so alone. Calls of OpenMP are calls of the runtime
/// there, whatever other OpenMP library a process has. Fails where this process
/// has its runtime from somewhere else.
core::Result<std::string> linkSharedObject(const Jit &code);

} // namespace astfe

#endif // ASTFE_LIB_COMPILER_SHAREDOBJECT_H
