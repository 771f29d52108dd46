//===- CheckPasses.td - what a program must hold -----------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_CHECKPASSES_TD
#define ASTFE_TRANSFORMS_CHECKPASSES_TD

include "ASTFE/Analysis/PassOption.td"

def CheckElementsPass : Pass<"astfe-check-elements", "::mlir::ModuleOp"> {
  let summary = "Refuses sparse elements that upstream's library has not";
  let description = [{
    Upstream's lowering to its runtime library crashes on sparse tensors of other
    elements than f64, f32, f16, bf16, i64, i32, i16, i8, complex<f64> and
    complex<f32>. This pass makes that an error; the module stays as it is.
    `--astfe-sparsifier` runs it unless `enable-runtime-library=false`, which
    takes all elements.

    Example (test/Transforms/check-elements/doctest.mlir):

    ```mlir
    func.func @f(%A: tensor<8x8xi1, #CSR>)
    // error: 'func.func' op expected sparse elements of f64, f32, f16, bf16, i64,
    //   i32, i16, i8 or complex floats, which upstream's runtime library has, but
    //   got 'i1'; enable-runtime-library=false takes all
    ```
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Sparse values that the library takes">,
  ];
}

def CheckSparsifiedPass
    : Pass<"astfe-check-sparsified", "::mlir::ModuleOp"> {
  let summary = "Refuses computations that neither ASTFE nor upstream has code for";
  let description = [{
    Upstream's sparsification leaves a `linalg` op on sparse tensors whose body it
    does not know, and a pass behind it fails at whatever is next to it. This pass,
    which the pipelines run right behind sparsification, makes that an error at the
    op, which says why ASTFE did not raise it; the module stays as it is.

    Example (test/Transforms/check-sparsified/doctest.mlir):

    ```mlir
    %r = linalg.generic ... ins(%A : tensor<?x?xi32, #CSR>) { arith.minsi }
    // error: 'linalg.generic' op expected a computation that upstream's
    //   sparsification knows, or that is raised, which it was not: ...
    ```
  }];
  // It asks what raising would do.
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def ExpectKernelsPass : Pass<"astfe-expect-kernels", "::mlir::ModuleOp"> {
  let summary = "Refuses programs that no kernel is made of";
  let description = [{
    Fails where a module has neither an `astfe.compute`, of which a kernel will be
    made, nor a `gpu.module` or `gpu.binary`: with an error at each op on a sparse
    tensor that says why it was left, or one at the module where there is none.
    `--astfe-to-ptx` runs it after it has raised, and so does `astfe-run` for a
    GPU: the host would compute everything there, and nobody would know.

    Example (test/Transforms/expect-kernels/doctest.mlir):

    ```mlir
    %r = linalg.generic ... ins(%A : tensor<?x?xf32, #CSR>) { arith.maximumf }
    // error: 'linalg.generic' op expected a computation that a kernel is made of,
    //   but it is left to the host: ...
    ```
  }];
  // It asks what raising would do.
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

#endif // ASTFE_TRANSFORMS_CHECKPASSES_TD
