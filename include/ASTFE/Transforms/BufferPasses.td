//===- BufferPasses.td - entries on buffers, loops ---------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_BUFFERPASSES_TD
#define ASTFE_TRANSFORMS_BUFFERPASSES_TD

include "ASTFE/Analysis/PassOption.td"

def ExposeBuffersPass : Pass<"astfe-expose-buffers", "::mlir::ModuleOp"> {
  let summary = "Gives functions on sparse tensors an entry that C can call";
  let description = [{
    A sparse tensor that crosses a function boundary becomes buffers and a
    struct that upstream passes by value, which no C compiler agrees on. In each
    public function this pass replaces a sparse argument by the buffers of its
    storage (positions and coordinates of each compressed level, then values) and
    one `index` per dimension; other arguments and results stay as they are. The
    function gets `llvm.emit_c_interface`. Sizes may be dynamic, which upstream's
    `sparse-assembler` refuses. docs/Pipelines.md has the C signature. Calls
    in the module are inlined; where they cannot be (a function of more than one
    block) they go on calling on tensors: a private copy, `_internal_<name>`.

    Functions with sparse results are left alone, with a remark. The assembled
    tensor is a cast that `sparse-tensor-codegen` folds, so this is for pipelines
    with `enable-runtime-library=false`.

    Example (test/Transforms/expose-buffers/doctest.mlir):

    ```mlir
    func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                    %y: tensor<?xf32>) -> tensor<?xf32> {
    // becomes
    func.func @spmv(%positions: memref<?xi32>, %coordinates: memref<?xi32>,
                    %values: memref<?xf32>, %rows: index, %columns: index,
                    %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
        attributes {llvm.emit_c_interface} {
      // %s holds the sizes of levels and buffers
      %A = builtin.unrealized_conversion_cast
             %positions, %coordinates, %values, %s : ... to tensor<?x?xf32, #CSR>
    ```
  }];
  let statistics = [
    Statistic<"numExposed", "exposed", "Functions with an entry on buffers">,
  ];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::sparse_tensor::SparseTensorDialect"
  ];
}

def CopyCarriedPass : Pass<"astfe-copy-carried"> {
  let summary = "Copies what loops make anew into what they carry";
  let description = [{
    Bufferization wants an iteration of `scf.for` or `scf.while` to end with the
    dense tensors that it began with, changed where they are, and says "Yield
    operand #0 is not equivalent to the corresponding iter bbArg" of others. What
    an iteration makes anew is copied into what the loop carries, so that
    iterative methods have loops as they are written: two buffers and a copy.

    What is carried in another place (`scf.yield %new, %x`) is copied before it is
    written. Tensors that change places, or that may lie where they are copied to,
    as one that was chosen, are copied twice.

    A loop carries tensors of one extent. Where an iteration provably hands on
    another, as one that pads what it carries, the loop stays as it is, and
    bufferization says its error. Where that is not known, as of a product with a
    matrix that need not be square, a `cf.assert` in front of the copy stops the
    program.

    Example (test/Transforms/copy-carried/doctest.mlir):

    ```mlir
    %r = scf.for ... iter_args(%x = %x0) -> (tensor<?xf64>) {
      %y = linalg.matvec ins(%A, %x) outs(%z)
      scf.yield %y
    // becomes
      %y = linalg.matvec ins(%A, %x) outs(%z)
      %c = bufferization.materialize_in_destination %y in %x
      scf.yield %c
    ```
  }];
  let statistics = [Statistic<"numCopied", "copied", "Tensors that are copied">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ForwardBuffersPass : Pass<"astfe-forward-buffers", "::mlir::ModuleOp"> {
  let summary = "Reads the parts of exposed tensors from where they are";
  let description = [{
    `astfe-expose-buffers` assembles each sparse argument from buffers and sizes.
    Where only these parts are asked for again, as our loops do, the tensor goes
    away, and with it every need for upstream's sparse code generation.

    Example (test/Transforms/forward-buffers/doctest.mlir):

    ```mlir
    %A = builtin.unrealized_conversion_cast %positions, %coordinates, %values, %s
           : ... to tensor<?x?xf32, #CSR>
    %p = sparse_tensor.positions %A {level = 1 : index} : ... to memref<?xi32>
    use %p
    // becomes
    use %positions
    ```
  }];
  let statistics = [
    Statistic<"numForwarded", "forwarded", "Parts that are read where they are">,
  ];
}

def DropBarriersPass : Pass<"astfe-drop-barriers", "::mlir::ModuleOp"> {
  let summary = "One barrier at the end of a parallel loop instead of two";
  let description = [{
    `convert-scf-to-openmp` puts each parallel loop into a region of its own.
    Threads would wait for each other at the end of the loop and again at the end
    of the region; on products of a few microseconds that can be seen. The first
    of the two goes away.

    Example (test/Transforms/drop-barriers/doctest.mlir):

    ```mlir
    omp.parallel { omp.wsloop { ... } omp.terminator }
    // becomes
    omp.parallel { omp.wsloop nowait { ... } omp.terminator }
    ```
  }];
  let statistics = [
    Statistic<"numDropped", "dropped", "Barriers that went away">,
  ];
}

def InlineAllocaScopesPass
    : Pass<"astfe-inline-alloca-scopes", "::mlir::ModuleOp"> {
  let summary = "Bodies of parallel loops without a scope for stack memory";
  let description = [{
    `convert-scf-to-openmp` puts the body of each parallel loop into a
    `memref.alloca_scope`, which may have one block only: loops inside of it
    cannot become branches. Canonicalization removes it where it knows all
    operations inside, which it does not where a function is called. A callee's
    stack memory is its own, so a scope goes where nothing in it allocates by
    itself; what does allocate gives its memory back.

    Example (test/Transforms/inline-alloca-scopes/doctest.mlir):

    ```mlir
    memref.alloca_scope {
      func.call @f() : () -> ()
    }
    // becomes
    func.call @f() : () -> ()
    ```
  }];
  let statistics = [
    Statistic<"numInlined", "inlined", "Scopes that went away">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // ASTFE_TRANSFORMS_BUFFERPASSES_TD
