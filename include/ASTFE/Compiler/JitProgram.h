//===- JitProgram.h - code in memory as a program -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_COMPILER_JITPROGRAM_H
#define ASTFE_COMPILER_JITPROGRAM_H

#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Product/CompilerLibrary.h"
#include <memory>

namespace astfe::compiler {

/// What `jit` compiled, which lives as long as somebody has the program.
std::shared_ptr<const product::Program> programOf(std::shared_ptr<Jit> jit);

} // namespace astfe::compiler

#endif // ASTFE_COMPILER_JITPROGRAM_H
