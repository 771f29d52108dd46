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
  ToPTXOptions() { chip = "sm_90"; }

  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("PTX features, such as +ptx80; empty: the oldest that the "
                     "chip has"),
      llvm::cl::init("")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc(
          "isa: PTX; llvm: bitcode for the emulator; binary: a cubin; fatbin: "
          "both (these two need ptxas)"),
      llvm::cl::init("isa")};
  Option<int64_t> indexBits{*this, "index-bits",
                            llvm::cl::desc("Width of index in kernels: 64, or "
                                           "32 where no size reaches 2^31"),
                            llvm::cl::init(64)};
  Option<int64_t> columnTile{
      *this, "column-tile",
      llvm::cl::desc("Columns of a warp, 128, 64 or 32, where the computation "
                     "does not say"),
      llvm::cl::init(128)};
  Option<bool> deviceOperands{
      *this, "device-operands",
      llvm::cl::desc("Dense operands, values and views are in device memory"),
      llvm::cl::init(false)};
  Option<bool> host{*this, "host",
                    llvm::cl::desc("Lower the host code to the LLVM dialect"),
                    llvm::cl::init(false)};
};

/// astfe computations to gpu.module and launches; the rest of the dialect to
/// runtime calls.
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
