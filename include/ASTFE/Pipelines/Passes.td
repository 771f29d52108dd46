//===- Passes.td - passes that only pipelines run --------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They have names so that a printed pipeline and a crash reproducer can be run
// again.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_PASSES_TD
#define ASTFE_PIPELINES_PASSES_TD

include "ASTFE/Analysis/PassOption.td"

def BufferizePass : Pass<"astfe-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turns tensors into buffers, sparse ones into their storage";
  let description = [{
    Runs upstream's sparsification and bufferization, or, where neither sparse
    tensors nor linalg ops are left, as is the rule once everything is raised,
    bufferization alone, with the same options. `astfe.compute` goes through it
    and is on buffers afterwards.

    Example: test/Pipelines/short-way.mlir
  }];
}

def FreeTemporariesPass : Pass<"astfe-free-temporaries"> {
  let summary = "Frees buffers that nobody sees from outside";
  let description = [{
    Bufferization allocates a buffer for each tensor that ops hand to each other,
    and frees none. This pass frees those behind their last use that are only read
    and written, also through views and by loops each of whose trips hands on the
    same buffer, in the block that allocates them: not what is returned, handed to
    a call, exchanged by a loop, stored, or freed already. Branches of `scf.if`
    that yield one buffer, or allocate one of the same size each, yield none
    before: it is allocated in front of them.
    Buffers that nothing uses are not allocated. Upstream's
    `ownership-based-buffer-deallocation` copies arguments that are returned.

    Example (test/Pipelines/free-temporaries.mlir):

    ```mlir
    %s = memref.alloc(%n) : memref<?xf32>
    astfe.compute over %P ... outs(%s : memref<?xf32>) overwrite { ... }
    astfe.compute over %P ... ins(%s : memref<?xf32>) outs(%C : ...) { ... }
    memref.dealloc %s : memref<?xf32>  // new
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numFreed", "freed", "Buffers that are freed">,
  ];
}

def FinishHostPass : Pass<"astfe-finish-host", "::mlir::ModuleOp"> {
  let summary = "Lowers buffers and loops to the LLVM dialect";
  let description = [{
    Runs what upstream's sparsifier does after bufferization where somebody has
    something to do for it: linalg ops, slices, copies. Mostly nobody has: loops,
    loads and stores are left. They get seven passes instead of thirty. OpenMP's
    ops stay.

    Example: test/Pipelines/short-way.mlir
  }];
}

def HoistFieldsPass : Pass<"astfe-hoist-fields", "::mlir::ModuleOp"> {
  let summary = "Hands parallel regions the fields of descriptors they read";
  let description = [{
    A parallel region becomes a function that is handed the values it uses. The
    descriptor of a buffer would be written to memory field by field, mostly for
    the address alone: the region takes the fields that it reads instead.

    Example (test/Pipelines/fields.mlir):

    ```mlir
    omp.parallel { %p = llvm.extractvalue %a[1] ... }
    // becomes
    %p = llvm.extractvalue %a[1]
    omp.parallel { ... }
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Fields that regions are handed">,
  ];
}

def SerializeKernelsPass : Pass<"astfe-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Compiles every gpu.module to a gpu.binary";
  let description = [{
    `gpu-module-to-binary` with the targets checked first: a chip that LLVM does
    not know, or not in the version of PTX that the target asks for, is an error
    at the `gpu.module`, where LLVM would end the process. Complaints of a CUDA
    toolkit that it looks for (CUDA_ROOT, CUDA_HOME, CUDA_PATH) and that our
    kernels do not need, since they call no libdevice, are left out; a `ptxas`
    that is needed and missing is still an error.

    Example: test/Pipelines/chip-targets.mlir
  }];
  let statistics = [
    Statistic<"numSerialized", "serialized", "Modules of kernels that were compiled">,
  ];
  let options = [
    ShownOption<"format", "format", "std::string", "\"isa\"",
                "isa: PTX; llvm: bitcode for the emulator; binary: a cubin; "
                "fatbin: both (these two need ptxas)">,
  ];
}

def EmitKernelsPass : Pass<"astfe-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Writes compiled kernels, and what their callers must know";
  let description = [{
    For each `gpu.binary` that `--astfe-to-ptx` made, writes `NAME.ptx` (with
    `format=isa`), `NAME.cubin` (`binary`), `NAME.fatbin` or `NAME.bc` (`llvm`)
    into the folder `directory`, which it makes if it is not there, and for each
    kernel that computes `NAME.KERNEL.json`, the kernel file of docs/Runtime.md:
    the roles of the arguments, the column tile, the grid, the layout, and the
    kernels that run before and after it. `astfe-launch` reads it,
    and a program of one's own that loads the kernel through the CUDA driver.
    The module stays as it is; one without such a `gpu.binary` is an error, and
    so is a file that cannot be written.

    Example: test/Pipelines/emit-kernels.mlir

    ```sh
    astfe-opt FILE.mlir --astfe-to-ptx=storage=packed \\
      --astfe-emit-kernels=directory=kernels -o /dev/null
    ```
  }];
  let statistics = [
    Statistic<"numWritten", "written", "Files that were written">,
  ];
  let options = [
    ShownOption<"directory", "directory", "std::string", "\".\"",
                "The folder to write to">,
  ];
}

#endif // ASTFE_PIPELINES_PASSES_TD
