//===- KernelImage.h - a gpu.binary and what its callers must know --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_KERNELIMAGE_H
#define ASTFE_PIPELINES_KERNELIMAGE_H

#include "ASTFE/Core/Kernel/KernelFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <optional>

namespace astfe {

struct KernelImage {
  std::string name; ///< of the gpu.binary
  /// ".ptx", ".bc", ".cubin" or ".fatbin".
  std::string suffix;
  /// PTX as a text, without the zero at its end.
  std::string image;
  /// The kernels that compute, widest first, each with its companions; their
  /// `ptx` is empty.
  std::vector<core::KernelFile> kernels;
};

/// Nothing for a binary that astfe-serialize-kernels did not make; an error at
/// the op where its attributes say too little.
mlir::FailureOr<std::optional<KernelImage>>
kernelImage(mlir::gpu::BinaryOp binary);

/// A path and what goes there.
struct EmittedFile {
  std::string path, text;
};

/// The image at `path`, and STEM.KERNEL.json beside it for each kernel.
std::vector<EmittedFile> filesOf(const KernelImage &image,
                                 const std::string &path,
                                 const std::string &stem);

} // namespace astfe

#endif // ASTFE_PIPELINES_KERNELIMAGE_H
