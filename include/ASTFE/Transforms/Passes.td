//===- Passes.td - passes on the astfe dialect -------------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_PASSES_TD
#define ASTFE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToASTFEPass : Pass<"convert-linalg-to-astfe"> {
  let summary = "Raises linalg ops with one sparse operand";
  let description = [{
    Rewrites a sparse matrix times a vector or a dense matrix as one computation
    over the whole pattern, stored as the caller stores it: `astfe.pack` to
    `#astfe.layout<view>`, `astfe.values` and `astfe.compute`. Matched are
    `linalg.matvec`, `linalg.matmul` and every `linalg.generic` that says the
    same, however it spells its maps:

    - exactly one operand is sparse: an input, CSR or CSC, f32 or f64, positions
      and coordinates of 0 (index), 32 or 64 bits, sizes static or dynamic;
    - its rows are parallel and its columns are reduced; one more loop, over the
      columns of the dense operand, may follow and is the last dimension of each
      operand that it indexes;
    - the body combines one contribution into `outs` with `arith.addf`, and the
      contribution is zero where the stored value is. Only then do entries that
      are not stored change nothing: 0 is the identity of `addf`, but not of
      `mulf`, `maximumf` or `minimumf`, so those stay as they are. A body is
      zero-preserving if it is built from the value by `mulf` and `divf`
      (numerator) with anything, `negf`, `absf`, `sqrt`, and `addf` and `subf` of
      two zero-preserving terms. As in the upstream sparsifier, 0 times Inf or
      NaN counts as 0: entries that are not stored are never touched.

    Elementwise producers that upstream fused into the op (scaling the values,
    say) are carried in the body, so run `linalg-generalize-named-ops` and
    `linalg-fuse-elementwise-ops` first. Everything else is left for the
    upstream sparsifier; a remark says why.

    Example (test/Transforms/linalg-to-astfe/doctest.mlir):

    ```mlir
    %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                       outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
    // becomes, with #n = (n, i, j, k) -> (n), #jk = (j, k), #ik = (i, k):
    %P = astfe.pack %A : tensor<?x?xf32, #CSR>
           -> !astfe.blocked<?x?, #astfe.layout<view>>
    %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>,
           !astfe.blocked<?x?, #astfe.layout<view>> -> tensor<?xf32>
    %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
           maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
           outs(%C : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def ExposeBuffersPass : Pass<"astfe-expose-buffers", "::mlir::ModuleOp"> {
  let summary = "Gives functions on sparse tensors an entry that C can call";
  let description = [{
    A sparse tensor that crosses a function boundary becomes buffers and a
    struct that upstream passes by value, which no C compiler agrees on. In each
    public function this pass replaces a sparse argument by the buffers of its
    storage (positions and coordinates of each compressed level, then values) and
    one `index` per dimension; other arguments and results stay as they are. The
    function gets `llvm.emit_c_interface`. Sizes may be dynamic, which upstream's
    `sparse-assembler` refuses. docs/Pipelines.md has the C signature. Callers in
    the module go on calling on tensors: they get a private copy, named
    `_internal_<name>`.

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
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::sparse_tensor::SparseTensorDialect"
  ];
}

#endif // ASTFE_TRANSFORMS_PASSES_TD
