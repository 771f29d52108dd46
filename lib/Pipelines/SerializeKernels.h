//===- SerializeKernels.h - gpu.module to gpu.binary ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_SERIALIZEKERNELS_H
#define ASTFE_LIB_PIPELINES_SERIALIZEKERNELS_H

#include "mlir/Pass/Pass.h"

namespace astfe {

/// gpu-module-to-binary, without its complaints of a CUDA toolkit that it looks
/// for (CUDA_ROOT, CUDA_HOME, CUDA_PATH) and that our kernels do not need: they
/// call no libdevice. A ptxas that is needed and missing is still an error.
std::unique_ptr<mlir::Pass> createSerializeKernelsPass(llvm::StringRef format);

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_SERIALIZEKERNELS_H
