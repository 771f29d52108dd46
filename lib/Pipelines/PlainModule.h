//===- PlainModule.h - modules for the short way ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's sparsifier is for ops on sparse tensors, linalg ops, slices. Once
// everything is raised, mostly none is left: computations, loops, loads and
// stores are, for which its forty passes take as long as the compiler behind
// them.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_PLAINMODULE_H
#define ASTFE_LIB_PIPELINES_PLAINMODULE_H

#include "mlir/IR/BuiltinOps.h"

namespace astfe {

/// Whether nothing is left that upstream's sparsifier is needed for.
bool isPlainModule(mlir::ModuleOp module);

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_PLAINMODULE_H
