//===- ToPTX.h - to GPU kernels, and the host code around them ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --astfe-to-ptx takes a module at any stage (linalg on sparse tensors, astfe
// ops, kernels) and leaves each kernel in a gpu.binary: PTX text by default,
// for which no CUDA installation is needed. The host code still launches it by
// gpu.launch_func; with `host` it is lowered to the LLVM dialect, entries as C
// calls them, ready for a JIT:
//
//   format=isa  host  -> mgpuModuleLoadJIT: the CUDA driver
//   format=llvm host  -> mgpuModuleLoad: the emulator
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_TOPTX_H
#define ASTFE_PIPELINES_TOPTX_H

#include "ASTFE/Pipelines/Pipelines.h"

namespace astfe {

/// Options of --astfe-to-ptx. `chip` is the GPU, sm_90 unless said.
struct ToPTXOptions : StageOptions {
  ToPTXOptions() { chip.defaultTo("sm_90"); }

  ShownOption<std::string> features{
      *this, "features",
      "PTX features, such as +ptx80; empty: the oldest that the "
      "chip has",
      ""};
  ShownOption<std::string> format{
      *this, "format",
      "isa: PTX; llvm: bitcode for the emulator; binary: a cubin; fatbin: "
      "both (these two need ptxas)",
      "isa"};
  ShownOption<int64_t> indexBits{*this, "index-bits",
                                 "Width of index in kernels: 64, or "
                                 "32 where no size reaches 2^31",
                                 64};
  ShownOption<int64_t> columnTile{
      *this, "column-tile",
      "Columns of a warp, 128, 64 or 32, where the computation "
      "does not say",
      128};
  ShownOption<bool> deviceOperands{
      *this, "device-operands",
      "Dense operands, values and views are in device memory", false};
  ShownOption<bool> longRows{
      *this, "long-rows",
      "With device-operands: rows of views may be too long for a warp", false};
  ShownOption<bool> host{*this, "host",
                         "Lower the host code to the LLVM dialect", false};
};

/// astfe computations to gpu.module and launches; the rest of the dialect to
/// runtime calls. With `host`, entries that C can call first, on buffers.
void buildLowerToKernelsStage(mlir::OpPassManager &pm,
                              const ToPTXOptions &options);
/// Every gpu.module to a gpu.binary.
void buildSerializeStage(mlir::OpPassManager &pm, const ToPTXOptions &options);
/// Host code with launches to the LLVM dialect.
void buildLowerHostForGPU(mlir::OpPassManager &pm);

void buildToPTXPipeline(mlir::OpPassManager &pm, const ToPTXOptions &options);

/// Registers --astfe-to-ptx.
void registerGPUPipelines();

} // namespace astfe

#endif // ASTFE_PIPELINES_TOPTX_H
