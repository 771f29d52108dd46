//===- LoadedOpenMP.h - the OpenMP runtime that the process has -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_RUNTIME_LOADEDOPENMP_H
#define ASTFE_LIB_RUNTIME_LOADEDOPENMP_H

#include "ASTFE/Core/Support/ShareLoop.h"
#include <chrono>

namespace astfe::rt {

/// Lets up to `threads` threads of another library's pool, the caller among
/// them, work at the loop. Returns when all of them have left it, and how long
/// the caller itself worked.
using HostPool = std::chrono::nanoseconds (*)(core::ShareLoop &loop,
                                              int64_t threads);

/// The pool of libgomp, libomp or libiomp5, under whatever path they are
/// loaded; null where none is. Looks again when libraries were loaded since.
/// Where both are loaded it is libgomp's, unless ASTFE_OPENMP is `libomp`
/// or `libiomp5` in the environment.
HostPool loadedOpenMP();

/// Whether this process has libgomp.
bool isGompLoaded();

} // namespace astfe::rt

#endif // ASTFE_LIB_RUNTIME_LOADEDOPENMP_H
