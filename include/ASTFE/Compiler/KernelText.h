//===- KernelText.h - the kernel of a request, as MLIR --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_COMPILER_KERNELTEXT_H
#define ASTFE_COMPILER_KERNELTEXT_H

#include "ASTFE/Compiler/Lowering.h"
#include "ASTFE/Product/TensorRequest.h"

namespace astfe::compiler {

/// `func.func @product(%P, %v, %B, %C)` over a packed pattern, on buffers.
std::string kernelText(mlir::MLIRContext &context,
                       const product::KernelRequest &request);

/// `func.func @product(%P, %v, %d0, ..., %out)` over bricks.
std::string kernelText(mlir::MLIRContext &context,
                       const product::TensorRequest &request);

/// Derives the kernel for the classes that the pattern holds.
Stage selectStage(const product::KernelRequest &request);

} // namespace astfe::compiler

#endif // ASTFE_COMPILER_KERNELTEXT_H
