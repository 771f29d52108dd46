//===- RunFile.h - runs the function of a .mlir file ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `astfe-run FILE.mlir [--matrix A.mtx]`: compiles the file's one public
// function, calls it and prints a summary of its result. Sparse arguments (CSR
// with 32-bit indices) are the matrix; dense ones, of rank 0 to 2, are random,
// or zero where they are bufferization.writable; each run starts from the same
// values. A dynamic extent is that of the matrix where a linalg op ties them;
// otherwise the matrix's columns for the first dimension (its rows where the
// argument is writable) and
// --cols for the second. --check compares with the float64 interpreter of the
// file as it stands.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_RUNFILE_H
#define ASTFE_TOOLS_RUN_RUNFILE_H

#include "Settings.h"

namespace astfe::run {

/// Whether the result was right (or not checked); an error where it never ran.
core::Result<bool> runFile(const Settings &settings);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_RUNFILE_H
