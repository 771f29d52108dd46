//===- EmitFiles.h - what a launcher without a compiler needs -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_EMITFILES_H
#define ASTFE_TOOLS_RUN_EMITFILES_H

#include "ModuleText.h"
#include "Pipelines.h"

namespace astfe::run {

/// Writes what --emit-ptx (PTX, and its kernel file beside it as FILE.json) and
/// --emit-packed (tables and values) name; nothing where neither is given.
core::Status emitFiles(Lowering &lowering, const Settings &settings,
                       const Problem &problem, const core::Graph &graph);

/// Writes all kernels of a user's module to what --emit-ptx names: FILE, or
/// FILE.2.ptx and so on for the images behind the first, and each kernel's file
/// as FILE.KERNEL.json. The module stays as it is.
core::Status emitFileKernels(Lowering &lowering, const Settings &settings,
                             mlir::ModuleOp module);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_EMITFILES_H
