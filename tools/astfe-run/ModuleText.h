//===- ModuleText.h - the program that is run, as MLIR --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_MODULETEXT_H
#define ASTFE_TOOLS_RUN_MODULETEXT_H

#include "Problem.h"

namespace astfe::run {

/// `func.func @product(%A, %B, %C)` with linalg.matvec or linalg.matmul over a
/// CSR operand with 32-bit indices. All extents are static, as upstream's
/// sparsifier needs for good code; C is written in place.
std::string moduleText(const Settings &settings, const Problem &problem);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_MODULETEXT_H
