//===- RunFile.h - runs the function of a .mlir file ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `astfe-run FILE.mlir [--matrix [NAME=]FILE]... [--scalar NAME=VALUE]...`:
// compiles the file's one public function, calls it and prints a summary of its
// results. Sparse arguments are read from files, in whatever format their types
// say (SparseArgument.h); dense ones are random, or zero where they are
// bufferization.writable; each run starts from the same values. Float scalars
// are random if not given, others must be. A dynamic extent is that of the
// sparse argument that the program ties it to (ExtentClasses.h); otherwise the
// first matrix's columns for the first dimension (its rows where the argument
// is writable) and --cols for the others. --check compares with the float64
// interpreter of the file as it stands. --emit-ptx also writes the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_RUNFILE_H
#define ASTFE_TOOLS_RUN_RUNFILE_H

#include "ModelledRun.h"
#include "Settings.h"

namespace astfe::run {

/// Whether the result was right (or not checked); an error where it never ran.
/// `modelled` learns where runs begin and end.
core::Result<bool> runFile(Settings settings, ModelledRun &modelled);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_RUNFILE_H
