//===- Passes.td - passes that leave the astfe dialect ---*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_PASSES_TD
#define ASTFE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertASTFEToGPUPass
    : Pass<"convert-astfe-to-gpu", "::mlir::ModuleOp"> {
  let summary = "astfe.compute to persistent kernels and their launches";
  let description = [{
    Each `astfe.compute` gets a `gpu.module` and host code that launches it. One
    warp runs one worker of the pattern: the spans of a packed pattern, by class,
    or a range of rows of a view that holds its share of nonzeros. Kernels are
    specialised on vectors of 4, 2 and 1 columns per lane; the host picks by
    divisibility and alignment. Rows that workers share are updated by atomics,
    in a deterministic layout through private partials.

    Dense operands are copied to the device and back around the launch, unless
    `device-operands` says that they are there. docs/Algorithms/Kernels.md
    explains the kernels.

    Example: test/Conversion/astfe-to-gpu/doctest.mlir
  }];
  let options = [
    Option<"columnTile", "column-tile", "int64_t", "128",
           "columns of a warp (128, 64 or 32) where the op does not say">,
    Option<"deviceOperands", "device-operands", "bool", "false",
           "dense operands, values and views are in device memory">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::sparse_tensor::SparseTensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerASTFEGPUToNVVMPass
    : Pass<"lower-astfe-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lowers a gpu.module to NVVM in one conversion";
  let description = [{
    Lowers gpu, nvgpu, vector, memref, arith, math and scf of one `gpu.module`
    with one type converter, so that nvgpu works with 32-bit indices too. Memrefs
    are passed as bare pointers, which is what lets `llvm.noalias` arguments be
    read through `ld.global.nc`; arguments of unknown size are rank-0 memrefs
    that the kernel reinterprets. Dynamic shared memory becomes `.extern`. No
    pattern emits a call of libdevice, so that PTX needs no CUDA toolkit; ops
    that only libdevice has are left alone.

    `math.fma` is not for these kernels: use `arith.mulf` and `arith.addf` with
    `fastmath<contract>`, which become one `fma.rn`.

    Example: test/Conversion/gpu-to-nvvm/doctest.mlir
  }];
  let options = [
    Option<"indexBits", "index-bits", "unsigned", "64",
           "width of index in kernels: 64, or 32 where no product of sizes "
           "reaches 2^31">,
  ];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // ASTFE_CONVERSION_PASSES_TD
