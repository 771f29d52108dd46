//===- Compiler.h - where the C API's kernels come from -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_COMPILER_H
#define ASTFE_LIB_CAPI_COMPILER_H

#include "ASTFE/Product/ChainPrograms.h"
#include "ASTFE/Product/CompilerLibrary.h"

namespace astfe::capi {

/// The compiler's library, opened at the first call: the one beside this
/// library, else where the system looks. It stays open.
core::Result<const product::CompilerLibrary *> openCompiler();

/// Waits for what is being compiled; nothing is from then on.
void finishCompiler();

/// Kernels by that library, which is opened when one is asked for. Lives until
/// the process ends.
product::KernelSource &compiler();
/// The same for products of tensors.
product::TensorKernelSource &tensorCompiler();

/// The module of a chain, compiled by that library.
core::Result<std::shared_ptr<const product::Program>>
compileChain(const std::string &text, const product::ChainTarget &target);

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_COMPILER_H
