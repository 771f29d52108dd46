//===- GPUPipeline.h - the passes of programs for the emulator ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EXECUTION_GPUPIPELINE_H
#define ASTFE_UNITTESTS_EXECUTION_GPUPIPELINE_H

#include <string>

namespace astfe {

inline const std::string kToKernels =
    "astfe-expose-buffers,convert-astfe-to-gpu";
inline const std::string kToHost =
    "nvvm-attach-target{chip=sm_90 features=+ptx80 O=3},"
    "gpu.module(canonicalize,cse,lower-astfe-gpu-to-nvvm,convert-nvvm-to-llvm,"
    "canonicalize,cse,reconcile-unrealized-casts),"
    "gpu-module-to-binary{format=llvm},"
    "sparsifier{enable-runtime-library=false},"
    "gpu-to-llvm{use-bare-pointers-for-kernels=true},canonicalize,"
    "reconcile-unrealized-casts";

} // namespace astfe

#endif // ASTFE_UNITTESTS_EXECUTION_GPUPIPELINE_H
