//===- ObjectCode.h - a module in the LLVM dialect as an object -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object is all that is kept of a compiled module, in a file or in memory.
// So that it can be linked without the module, what the linker has to know of
// it are symbols: kInitialize and kFinalize where the module has constructors
// and destructors (of kernels for a GPU), `_mlir_<entry>` beside each entry
// with a C interface, which takes its arguments as an array of addresses.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_OBJECTCODE_H
#define ASTFE_LIB_EXECUTION_OBJECTCODE_H

#include "ASTFE/Core/Support/Status.h"
#include "ASTFE/Execution/Jit.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

namespace astfe {

constexpr llvm::StringLiteral kInitialize = "astfe_module_initialize";
constexpr llvm::StringLiteral kFinalize = "astfe_module_finalize";
/// How the name of an entry that takes an array begins.
constexpr llvm::StringLiteral kPackedEntry = "_mlir__mlir_ciface_";

/// Translates, optimises and compiles.
core::Result<std::unique_ptr<llvm::MemoryBuffer>>
compileObject(mlir::ModuleOp module, const JitOptions &options);

/// The symbols of an object, defined and undefined; an error where it is none.
core::Result<llvm::StringSet<>> symbolsOf(llvm::MemoryBufferRef object);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_OBJECTCODE_H
