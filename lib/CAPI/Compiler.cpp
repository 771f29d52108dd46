//===- Compiler.cpp - where the C API's kernels come from -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "ASTFE/Compiler/KernelCompiler.h"

astfe::product::KernelSource &astfe::capi::compiler() {
  // Never destroyed: code may still run while the process ends.
  static auto &compiler = *new compiler::KernelCompiler();
  return compiler;
}
