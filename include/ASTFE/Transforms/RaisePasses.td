//===- RaisePasses.td - linalg into the dialect ------------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_RAISEPASSES_TD
#define ASTFE_TRANSFORMS_RAISEPASSES_TD

include "ASTFE/Analysis/PassOption.td"

def FuseElementwisePass : Pass<"astfe-fuse-elementwise"> {
  let summary = "Fuses elementwise ops, but leaves epilogues with sparse products";
  let description = [{
    Upstream's `linalg-fuse-elementwise-ops`, which fuses an elementwise op into
    whatever alone reads its result, but for two kinds of ops. One that reads what
    it writes (its `outs`) is not fused into what reads an element several times,
    where upstream's pass would apply it several times. And one stays where it is
    that is made, element by element, of a product with a sparse tensor, unless
    its reader

    - is elementwise, too, and reads each element once, or is the epilogue of
      another sparse product; or
    - computes over a sparse tensor and reads one element for each key or nonzero,
      along the same modes as the product writes them (the sums of rows in a
      softmax, say), so that both can be in one chain.

    `astfe-fuse-computes` then makes it the epilogue of the product. In a dense
    product behind it, it would be computed again for each column; in a sparse one
    that reads other rows, for each nonzero. A remark names each op that stays.

    Upstream's pass gives an op that does not read its `outs` new ones, a
    `tensor.empty`, so that what a caller hands over to be written is not: each
    call then allocates. It also fuses reshapes into computations over sparse
    tensors, of which it makes dense ones: here these stay apart.

    With `keep-destinations` fills keep theirs, as `linalg.fill`, and so does an
    op whose result the function returns, where they are an argument of it, or
    which a chain (`astfe.fused`) returns into its output, or which is stored
    into the buffer that they are the tensor of. That tensor is `restrict
    writable`, and nobody else reads it behind the op: that would take an
    allocation.

    Example (test/Transforms/fuse-elementwise/doctest.mlir):

    ```mlir
    %h = linalg.generic ... ins(%ax, %b) outs(%e) { relu(%ax + %b) }
    // is not fused into
    %y = linalg.generic ... ins(%h, %W) outs(%f) { matmul }
    ```
  }];
  let options = [
    Option<"keepDestinations", "keep-destinations", "bool", "false",
           "ops write the tensors that they are given">,
  ];
  let statistics = [
    Statistic<"numKeptApart", "kept-apart", "Epilogues that stayed where they are">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DropIdlePass : Pass<"astfe-drop-idle"> {
  let summary = "Drops ops on sparse tensors that change nothing";
  let description = [{
    Folding leaves a `linalg` op that yields what its output was where it folds
    what is added to it: contributions of integers such as `a - a`. Upstream's
    sparsifier ends the process at such an op if it has a sparse operand (LLVM
    22). Its result is replaced by its output, a dense tensor.

    Upstream's patterns for `linalg` give a sparse operand of unknown extents those
    that other operands have, by a `tensor.cast`, and upstream's sparsifier then
    says "unexpected conversion mismatch". Where they fuse a reshape of the result,
    they make a dense tensor of the sparse operand by a `tensor.expand_shape` that
    expands nothing. Computations whose outputs are dense read the operand itself.

    Example (test/Transforms/drop-idle/doctest.mlir):

    ```mlir
    %r = linalg.generic ins(%A : tensor<?x?xi32, #CSR>) outs(%y : tensor<?xi32>) {
    ^bb0(%a: i32, %o: i32):
      linalg.yield %o : i32
    } -> tensor<?xi32>
    // becomes
    %y
    ```
  }];
  let statistics = [Statistic<"numDropped", "dropped", "Ops that were dropped">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ConvertLinalgToASTFEPass : Pass<"convert-linalg-to-astfe"> {
  let summary = "Raises linalg ops with one sparse operand";
  let description = [{
    Rewrites a sparse matrix times a vector or a dense matrix, or a sparse tensor
    times vectors and matrices (MTTKRP, TTV, TTM), as one computation
    over the whole pattern, stored as the caller stores it: `astfe.pack` to
    `#astfe.layout<view>`, `astfe.values` and `astfe.compute`. Matched are
    `linalg.matvec`, `linalg.matmul` and every `linalg.generic` that says the
    same, however it spells its maps:

    - one operand is sparse: an input, sizes static or dynamic; or several are
      that are stored at the same places, as a tensor and what another op that was
      raised made of its values. Elements
      are f16, bf16, f32, f64, integers of 1, 8, 16, 32 or 64 bits or
      complex numbers of f32 or f64, which the body may convert. Half
      floats are computed with, and summed, in f32. A matrix in CSR or CSC, with
      positions and coordinates of any width, has code where it is stored. A
      matrix in another format (COO, DCSR), or a tensor of another rank, 1 or 3 to 8
      (CSF, COO), has levels that are dense, compressed or singleton, one
      for each dimension in any order and at any width, or two where blocks cut the
      dimension (BSR), and code for packed storage only: it is
      raised where `storage=packed` says that later stages pack;
    - other inputs are dense tensors, or scalars, which the body then reads from
      outside (constants are copied into it; on a GPU only those can be had, or
      tensors of rank 0);
    - the plan (`Analysis/ComputePlan.h`) of the computation runs in parallel,
      of the caller's storage or of a packed pattern, on the `target`. Where the
      output is indexed by columns of what can only be packed, the transpose is
      packed, which is a `sparse_tensor.reinterpret_map` of the matrix. Where a
      tensor is summed up over one mode, and the others lie side by side in the
      output (TTV, TTM), its matrix is packed, which is `astfe.matricize`;
    - the output is dense, or sparse and empty with the type and the map of the
      sparse input: then it has that input's pattern (a sampled product, say,
      or a scaling of the stored values), and comes as `astfe.unpack` of one
      value a nonzero. One whose values the program may write through
      `sparse_tensor.values` stays as it is. With `sparse-outputs=false`, for pipelines that end in
      upstream's runtime library, which copies no sparse tensor, only where all its
      readers are computations that are raised too: `astfe-fuse-computes` hands the
      values on to them, and no tensor is made. That is tried on a copy of the
      function;
    - the body combines one contribution into `outs` by one op (`addf`, `addi`,
      `maximumf`, `minimumf`, `maxnumf`, `minnumf`, `maxsi` ..., `andi`, `ori`,
      `xori`, `mulf`, `muli`) or by a `sparse_tensor.reduce` of such an op that
      begins from what the op ignores, or from what `outs` is filled with, and
      entries that are not stored change nothing. Either the contribution is, by
      folding the body with the entry as 0, what the combiner ignores: 0 for
      sums, for `ori`, and for a maximum whose `outs` is a fill with 0 or more;
      +Inf for a minimum (`select` of `a == 0`). Or there is none, as
      `sparse_tensor.binary`, `unary` and `select` say by an empty region (or,
      in a `reduce`, a product); what a `select` leaves may be multiplied before
      it is combined. 0 is not the identity of `mulf`, `maximumf` or
      `minimumf`, so those of products stay as they are. As in the upstream
      sparsifier, 0 times Inf or NaN counts as 0: entries that are not stored
      are never touched. NaN goes through `maximumf` and `minimumf`; `maxnumf`
      and `minnumf` drop it, and integers wrap.

    A body that reads the indices of loops (`linalg.index`) reads them from
    operands that hold 0, 1, 2, ... along these loops, where a dense operand is
    as long or a cache holds them; loops of unknown length are taken as short.

    A sum of everything, whose output is one element (`s += a_ij x_j`), is raised
    as sums by rows (`y_i = a_ij x_j`), and a `linalg.generic` that adds these to
    the output; so are sums of rows (`c_r += a_ij B_ir` by `Y_ir = a_ij B_ir`),
    with combiners that have a neutral element. A sum over one dense dimension
    (`y_i += a_ij B_jr`) stays as it is for the rows of a matrix on a host, which
    add up their columns (of halves into an array of f32), but for complex
    numbers and in chains; elsewhere it is the reduction of `Y_ir = a_ij B_jr`.
    Half floats are added up in f32 and rounded once. The array of these sums is
    as long as an array of the format (rows of a dense outermost level, a cache
    line each at most), no larger than a dense operand, or known to fit a cache;
    or it has an element for each row of a mode of unknown length. Others are
    left to upstream on a host, with the reason; a GPU, which would have no
    code, has sums of any size that is not known to be beyond numbers of 32
    bits.

    For a GPU, dense operands whose dense dimensions come before those of the
    sparse operand (`C_rj += B_ri a_ij`) are read from transposes
    (`linalg.transpose`), and the output is transposed back: unless
    `slices=false`, since the host makes them. A remark says so.

    Zeros that blocks store beside entries count as entries, as in the upstream
    sparsifier: a minimum of stored values finds them. Products of blocks with
    vectors, and their sums, are left to upstream on a host; what has a
    `sparse_tensor.reduce` or a `sparse_tensor.select` is not, since upstream begins
    the one anew in each block, and adds up conditions of the other.

    A computation over a matrix with several dense dimensions is raised as
    one with one: those that lie side by side in every operand are merged by
    reshapes, and a loop over slices goes around it for each of the others
    (`Analysis/DensePlan.h`), unless `slices=false`. Extents that types do not know are compared before:
    `cf.assert` says where they differ, and the loops do not run then, nor does
    one that goes around merged dimensions
    (`convert-astfe-to-scf` with `check-extents` tells the runtime instead).

    C = A B comes as a product that is added to a fill. Where `outs` is
    `tensor.empty`, or a `linalg.fill` with 0 in the same function, generalized
    or not, the computation gets `overwrite` and the fill goes, unless others
    read it. So it does where `outs` is an argument with the attribute
    `astfe.undefined`, by which a caller says that it holds nothing. What a caller filled, or what a loop carries, is added to; a remark
    says so.

    Elementwise producers that upstream fused into the op (scaling the values,
    say) are carried in the body, so run `linalg-generalize-named-ops` and
    `astfe-fuse-elementwise` first. Everything else is left for the upstream
    sparsifier; a remark says why.

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
  let statistics = [
    Statistic<"numRaised", "raised", "Computations that were raised">,
    Statistic<"numKept", "kept", "Ops on sparse tensors that were left">,
  ];
  let options = [
    ShownOption<"target", "target", "std::string", "\"host\"",
                "What the computations are for: host or gpu">,
    ShownOption<"storage", "storage", "std::string", "\"view\"",
                "What later stages make of the views: packed, or nothing">,
    ShownOption<"sparseOutputs", "sparse-outputs", "bool", "true",
                "Also what has a sparse output that others than computations "
                "read">,
    ShownOption<"rowSums", "row-sums", "bool", "true",
                "Also sums of everything, and over dense dimensions, of which the "
                "host adds up rows: it reads what kernels write">,
    ShownOption<"slices", "slices", "bool", "true",
                "Also what needs loops over slices, which are copied for kernels of "
                "a GPU, or transposes: operands are the host's">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::sparse_tensor::SparseTensorDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // ASTFE_TRANSFORMS_RAISEPASSES_TD
