//===- Upstream.h - upstream's sparsifier, compiled well ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ASTFE is compared with: upstream's own sparsification with everything
// that makes it fast. Its `--sparsifier` pipeline contains no OpenMP lowering
// and would run serially; this one parallelises the outer dense loop,
// vectorises with a given length, and keeps everything else as upstream has it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_UPSTREAM_H
#define ASTFE_PIPELINES_UPSTREAM_H

#include "mlir/Pass/PassManager.h"

namespace astfe {

struct UpstreamOptions {
  /// Elements of a vector; 0 leaves vectorisation to LLVM. Neither 0 nor 16
  /// wins everywhere: compare with the faster of both.
  int64_t vectorLength = 16;
  bool openmp = true;
};

/// From linalg on sparse tensors to the LLVM dialect, without the sparse
/// runtime library. Constant column counts matter: a dynamic one is several
/// times slower.
mlir::LogicalResult buildUpstreamSparsifier(mlir::OpPassManager &pm,
                                            const UpstreamOptions &options);

} // namespace astfe

#endif // ASTFE_PIPELINES_UPSTREAM_H
