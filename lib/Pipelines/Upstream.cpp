//===- Upstream.cpp - upstream's sparsifier, compiled well ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/Upstream.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

LogicalResult astfe::buildUpstreamSparsifier(OpPassManager &pm,
                                             const UpstreamOptions &options) {
  std::string pipeline =
      "func.func(linalg-generalize-named-ops,linalg-fuse-elementwise-ops),"
      "sparsification-and-bufferization{parallelization-strategy=";
  pipeline += options.openmp ? "dense-outer-loop" : "none";
  // Gathers with indices of 32 bits are up to 1.7 times as fast.
  pipeline += " vl=" + std::to_string(options.vectorLength) +
              " enable-simd-index32=true},";
  pipeline += "sparse-storage-specifier-to-llvm,"
              "func.func(canonicalize,convert-linalg-to-loops,"
              "convert-vector-to-scf),";
  if (options.openmp)
    // The second barrier at the end of a region costs as much as the first.
    pipeline += "convert-scf-to-openmp,func.func(canonicalize),"
                "astfe-drop-barriers,";
  // Canonicalisation removes the scopes that convert-scf-to-openmp leaves,
  // which must hold a single block.
  pipeline += "func.func(canonicalize,cse,expand-realloc,convert-scf-to-cf),"
              "expand-strided-metadata,lower-affine,"
              "convert-vector-to-llvm{reassociate-fp-reductions=true "
              "enable-x86vector=true},finalize-memref-to-llvm,"
              "func.func(convert-complex-to-standard,arith-expand,"
              "convert-math-to-llvm),";
  if (options.openmp)
    pipeline += "convert-openmp-to-llvm,";
  pipeline += "convert-func-to-llvm,convert-complex-to-llvm,"
              "convert-arith-to-llvm,"
              "convert-index-to-llvm,convert-cf-to-llvm,"
              "reconcile-unrealized-casts";
  return parsePassPipeline(pipeline, pm);
}
