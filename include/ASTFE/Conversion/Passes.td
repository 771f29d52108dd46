//===- Passes.td - passes that leave the astfe dialect ---*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_PASSES_TD
#define ASTFE_CONVERSION_PASSES_TD

include "ASTFE/Analysis/PassOption.td"

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

    Rows of a view that are too long for a warp are cut between several, and a
    second launch combines what these have summed up, in a fixed order. The host
    launches those kernels where it sees such a row; positions in the device's
    memory it cannot read, so that `long-rows` says there whether to.

    Dense operands are copied to the device and back around the launch, unless
    `device-operands` says that they are there; chains read them where they lie
    then, with rows apart, too. A packed pattern lends the memory
    for that, and for partial rows, and keeps it for later calls. docs/Algorithms/Kernels.md
    explains the kernels.

    Example: test/Conversion/astfe-to-gpu/doctest.mlir
  }];
  let options = [
    ShownOption<"columnTile", "column-tile", "int64_t", "128",
                "columns of a warp (128, 64 or 32) where the op does not say">,
    ShownOption<"deviceOperands", "device-operands", "bool", "false",
                "dense operands, values and views are in device memory">,
    ShownOption<"longRows", "long-rows", "bool", "false",
                "with device-operands: rows of views may be too long for a "
                "warp">,
  ];
  let statistics = [
    Statistic<"numLowered", "lowered", "Computations that became kernels">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::sparse_tensor::SparseTensorDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
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
    that the kernel reinterprets. Dynamic shared memory becomes `.extern`. What
    PTX has instructions for (absolute values, square roots, rounding) becomes
    those and not, as upstream, calls of libdevice, so that PTX needs no CUDA
    toolkit; `convert-astfe-to-gpu` refuses ops that only libdevice has.

    `math.fma` is not for these kernels: use `arith.mulf` and `arith.addf` with
    `fastmath<contract>`, which become one `fma.rn`.

    Example: test/Conversion/gpu-to-nvvm/doctest.mlir
  }];
  let options = [
    ShownOption<"indexBits", "index-bits", "unsigned", "64",
                "width of index in kernels: 64, or 32 where no product of sizes "
                "reaches 2^31">,
  ];
  let statistics = [
    Statistic<"numLowered", "lowered", "Kernels that are in NVVM">,
  ];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertASTFEToRuntimePass
    : Pass<"convert-astfe-to-runtime", "::mlir::ModuleOp"> {
  let summary = "everything but computations to buffers and runtime calls";
  let description = [{
    Sparse tensors have to be gone from our ops before bufferization, which does
    not know them there. Profiles, graphs and packs become calls of the runtime
    (`ASTFE/Runtime/ABI.h`) on the buffers of the tensor; a view becomes
    `astfe.view` of those buffers, right before the computation that reads it.
    `astfe.compute` stays: it bufferizes like upstream's ops on dense tensors, so
    that loops, calls and slices around it get no other buffers and copies than
    around upstream's.

    Example (test/Conversion/astfe-to-runtime/doctest.mlir):

    ```mlir
    %V = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
    %r = astfe.compute over %V ...
    // becomes
    %p = sparse_tensor.positions %A {level = 1 : index} : ...
    %c = sparse_tensor.coordinates %A {level = 1 : index} : ...
    %V = astfe.view %p, %c [%rows, %columns] : ...
    %r = astfe.compute over %V ...
    ```
  }];
  let statistics = [
    Statistic<"numLowered", "lowered", "Profiles, graphs, packs and values that were lowered">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::sparse_tensor::SparseTensorDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertASTFEToSCFPass : Pass<"convert-astfe-to-scf", "::mlir::ModuleOp"> {
  let summary = "astfe to scf.parallel, vector and runtime calls, for the host";
  let description = [{
    Lowers every op of the dialect. A computation becomes an `scf.parallel` over
    workers with explicit vectors on buffers. A *view* is walked as it is, with
    no runtime call: workers take runs of rows with equal shares of the
    nonzeros. A *packed* pattern is walked through its tables, which come from
    the runtime (`ASTFE/Runtime/ABI.h`); rows that several workers share go
    through private partial rows, which are combined afterwards in a fixed
    order, so that results have the same bits for the same graph and number of
    workers.

    A tile of dense columns is that of the op's kernel attribute, where it has
    one; registers bound it to eight vectors, four where the number of columns is
    known at run time only.

    Inputs whose columns do not lie side by side, transposed ones say, are copied
    so that they do, if their elements take 8, 16, 32 or 64 bits or are complex:
    where nonzeros (times the other dense dimensions) use each row of the copies
    eight times on average, or once where the copies outgrow the second cache and
    nonzeros lie far apart. A sample of a matrix's nonzeros, or the sides of a
    tensor's bricks, tell so when the program runs. A packed pattern lends the
    memory, and keeps it for later calls; a view allocates it. Without memory
    there are no copies.

    A computation that has no vector form (a sampled product, say) becomes a
    serial loop over the nonzeros: a missed remark says why. The passed remark of
    the others names their emitters. A module whose loops will all be in vectors
    gets the attribute `astfe.vectorized`: LLVM's own vectorisers and unrollers are
    left out where it is compiled.

    Pipelines run it after `convert-astfe-to-runtime` and bufferization, on
    computations on buffers. Alone it does what the former does too, and takes
    tensors, whose outputs it copies where anything else may read them. See
    `test/Conversion/astfe-to-scf/doctest.mlir`.
  }];
  let options = [
    ShownOption<"fma", "fma", "bool", /*default=*/"true",
                "Contract multiply and add (fewer roundings than upstream)">,
    ShownOption<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"64",
                "Bytes of one vector: 16, 32 or 64">,
    ShownOption<"checkExtents", "check-extents", "bool", /*default=*/"false",
                "Compare the sizes of a view's operands before they are used and "
                "report a difference to the runtime; packed patterns always do">,
    ShownOption<"fastGathers", "fast-gathers", "bool", /*default=*/"false",
                "Load lanes that lie anywhere by one instruction, masked where "
                "a row ends: for CPUs on which it is faster than a load a lane">,
    ShownOption<"farStrips", "far-strips", "bool", /*default=*/"false",
                "Walk rows of dense operands that are far in strips, all rows of "
                "the pattern for each: for CPUs that fetch no more of a row than "
                "what is read">,
    ShownOption<"wideMasks", "wide-masks", "bool", /*default=*/"true",
                "Vectors of 512 bits are the processor's, which has 32 of them and "
                "masks of their lanes (AVX-512)">,
    ShownOption<"serial", "serial", "bool", /*default=*/"false",
                "Nothing runs in parallel: rows of a view are one run">
  ];
  let statistics = [
    Statistic<"numVectorized", "vectorized", "Computations in vectors">,
    Statistic<"numScalar", "scalar", "Computations as a serial loop over nonzeros">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::sparse_tensor::SparseTensorDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
}

def TileDensePass : Pass<"astfe-tile-dense", "::mlir::ModuleOp"> {
  let summary = "dense products to parallel loops over register tiles";
  let description = [{
    Upstream makes plain loops of a dense `linalg` product beside a sparse one,
    which then takes most of a model's time. This pass takes `linalg` ops on
    buffers that add up, over one dimension, a function of their inputs into a
    matrix (a product, also one that elementwise ops were fused into), and makes a
    parallel loop over blocks of rows, and in it tiles of rows times vectors of
    columns, whose sums stay in registers. Whatever depends on the row alone (an
    activation of the left operand) is computed once for a tile's columns.

    Why no BLAS is called: docs/Rationale.md.

    Example: test/Conversion/tile-dense/doctest.mlir
  }];
  let options = [
    ShownOption<"fma", "fma", "bool", /*default=*/"true",
                "Contract multiply and add (fewer roundings than upstream)">,
    ShownOption<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"64",
                "Bytes of one vector: 16, 32 or 64">
  ];
  let statistics = [
    Statistic<"numTiled", "tiled", "Dense products that became tiles">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // ASTFE_CONVERSION_PASSES_TD
