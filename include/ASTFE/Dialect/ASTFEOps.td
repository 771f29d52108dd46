//===- ASTFEOps.td - operations of the astfe dialect -------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEOPS_TD
#define ASTFE_DIALECT_ASTFEOPS_TD

include "ASTFE/Dialect/ASTFETypes.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ASTFE_ValueVector
    : 1DTensorOf<[AnyFloat, AnySignlessInteger, AnyComplex]>;

class ASTFE_Op<string mnemonic, list<Trait> traits = []>
    : Op<ASTFE_Dialect, mnemonic, traits>;

def ASTFE_ProfileOp : ASTFE_Op<"profile", [Pure]> {
  let summary = "counts the work of a sparse tensor along an order";
  let description = [{
    Counts the nonzeros of `tensor` along `order` into bins of fewer than `min`,
    in O(nonzeros). `panel` is log2 of the rows in a panel, read by the order
    panels. With `reorder` ("labels": label propagation, "rcm": reverse
    Cuthill-McKee, or "twins": those that are alike side by side) rows and columns are renumbered first; `hubs` moves at most so
    many rows and columns that touch everything (`auto`: all that do) to the
    front and gives hub rows parts of their own. Both are found from the tensor
    and kept in the profile's space, and so in the graph; nobody else sees the
    new numbers. A profile that is `known` when the program is compiled makes the
    passes evaluate what follows to a constant graph. With `search` the order, the
    reordering, or both are chosen at run time, for the products that it names;
    `order`, `reorder` and `hubs` are where the search begins.

    ```mlir
    %h = astfe.profile of %A order = "hilbert" min = 256
      : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
    %r = astfe.profile of %A order = "rows" reorder = "labels" hubs = auto
      min = 256 : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
    %c = astfe.profile of %A order = "rows" hubs = auto min = 256
      search = <columns = 32, element_bytes = 4, runs = 100, whole = true>
      : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
    ```

    Constraints: (C1) the tensor is sparse; (C2) the result has its shape;
    (C3) min >= 1; (C4) panel in 0..62; (C5) a known profile has this shape and,
    (C6) where it is one part, this order; (C7) hubs >= -1, which `auto` is; (C8)
    only matrices are reordered, have hubs, or are searched; (C9) what is searched
    is not known, and begins with (C10) rows where orders are compared and (C11)
    no reordering where these are.
  }];
  let arguments = (ins AnyRankedTensor:$tensor, ASTFE_OrderAttr:$order,
                       DefaultValuedAttr<I64Attr, "10">:$panel,
                       DefaultValuedAttr<ASTFE_ReorderAttr,
                           "::astfe::Reorder::None">:$reorder,
                       DefaultValuedAttr<I64Attr, "0">:$hubs, I64Attr:$min,
                       OptionalAttr<ASTFE_ProfileAttr>:$known,
                       OptionalAttr<ASTFE_SearchAttr>:$search);
  let results = (outs ASTFE_ProfileType:$result);
  let assemblyFormat = [{
    `of` $tensor `order` `=` custom<OrderName>($order)
    (`panel` `=` $panel^)? (`reorder` `=` custom<ReorderName>($reorder)^)?
    (`hubs` `=` custom<HubCount>($hubs)^)? `min` `=` $min (`known` `=` $known^)?
    (`search` `=` $search^)? attr-dict `:` type($tensor) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ASTFE_PartitionOp : ASTFE_Op<"partition", [Pure]> {
  let summary = "G(0): the uniform grid of a profile";
  let description = [{
    Cuts the space at a complete round of the order, where a non-empty block
    holds about `leaf` nonzeros on average. With `leaf = auto` the blocks are
    fine enough for `workers`.

    ```mlir
    %g0 = astfe.partition %h leaf = 4096
      : !astfe.profile<4096x?> -> !astfe.graph<4096x?>
    ```

    Constraints: (C1) leaf >= 0, which `auto` is; (C2) workers >= 1; (C3) the
    result has the profile's shape.
  }];
  // leaf 0 is "auto": then `workers` decides.
  let arguments = (ins ASTFE_ProfileType:$profile, I64Attr:$leaf,
                       DefaultValuedAttr<I64Attr, "64">:$workers);
  let results = (outs ASTFE_GraphType:$result);
  let assemblyFormat = [{
    $profile `leaf` `=` custom<AutoInteger>($leaf) (`workers` `=` $workers^)?
    attr-dict `:` qualified(type($profile)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ASTFE_RefineOp : ASTFE_Op<"refine", [Pure,
    AllTypesMatch<["graph", "result"]>]> {
  let summary = "V(t+1) = f(V(t), C(t)): splits the blocks that do most";
  let description = [{
    Splits each block whose intensity C_i is above T, and its children, as long
    as it holds at least 2 x `min` nonzeros. With M the median intensity and
    tau the `threshold`, T = max(tau/(1-tau) M, total/(`workers` x `waves`));
    without a threshold it is the second alone. `steps` -1, the default, repeats
    until nothing changes. T is kept in the graph as its limit.

    ```mlir
    %g1 = astfe.refine %g0 by %h threshold = 6.600000e-01
      : !astfe.graph<4096x?>, !astfe.profile<4096x?>
    ```

    Constraints: (C1) graph and profile have one shape; (C2) threshold between
    0.5 and 1; (C3) workers >= 1; (C4) waves >= 1; (C5) min >= 1; (C6) steps >=
    -1. No steps folds to the graph.
  }];
  // An absent threshold is "auto"; steps -1 repeats to the fixpoint.
  let arguments = (ins ASTFE_GraphType:$graph, ASTFE_ProfileType:$profile,
                       OptionalAttr<F64Attr>:$threshold,
                       DefaultValuedAttr<I64Attr, "64">:$workers,
                       DefaultValuedAttr<I64Attr, "4">:$waves,
                       DefaultValuedAttr<I64Attr, "256">:$min,
                       DefaultValuedAttr<I64Attr, "-1">:$steps);
  let results = (outs ASTFE_GraphType:$result);
  let assemblyFormat = [{
    $graph `by` $profile (`threshold` `=` $threshold^)?
    (`workers` `=` $workers^)? (`waves` `=` $waves^)? (`min` `=` $min^)?
    (`steps` `=` $steps^)? attr-dict `:` qualified(type($graph)) `,`
    qualified(type($profile))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ASTFE_FuseOp : ASTFE_Op<"fuse", [Pure,
    AllTypesMatch<["graph", "result"]>]> {
  let summary = "merges and groups neighbours that do little";
  let description = [{
    Merges sibling blocks that together stay below half the limit T, then joins
    consecutive blocks into groups while a group stays within T and its inputs
    and outputs fit into `cache` bytes, counted for `columns` dense columns of
    `element_bytes` each.

    ```mlir
    %g2 = astfe.fuse %g1 by %h : !astfe.graph<4096x?>, !astfe.profile<4096x?>
    ```

    Constraints: (C1) graph and profile have one shape; (C2) threshold between
    0.5 and 1; (C3) workers, (C4) waves, (C5) cache, (C6) columns and (C7)
    element_bytes of at least 1.
  }];
  let arguments = (ins ASTFE_GraphType:$graph, ASTFE_ProfileType:$profile,
                       OptionalAttr<F64Attr>:$threshold,
                       DefaultValuedAttr<I64Attr, "64">:$workers,
                       DefaultValuedAttr<I64Attr, "4">:$waves,
                       DefaultValuedAttr<I64Attr, "1048576">:$cache,
                       DefaultValuedAttr<I64Attr, "1">:$columns,
                       DefaultValuedAttr<I64Attr, "4">:$element_bytes);
  let results = (outs ASTFE_GraphType:$result);
  let assemblyFormat = [{
    $graph `by` $profile (`threshold` `=` $threshold^)?
    (`workers` `=` $workers^)? (`waves` `=` $waves^)? (`cache` `=` $cache^)?
    (`columns` `=` $columns^)? (`element_bytes` `=` $element_bytes^)?
    attr-dict `:` qualified(type($graph)) `,` qualified(type($profile))
  }];
  let hasVerifier = 1;
}

def ASTFE_GraphOp : ASTFE_Op<"graph", [Pure, ConstantLike]> {
  let summary = "a constant partition graph";
  let description = [{
    `b0100 : 380` is the block of prefix 0100 with 380 nonzeros (`p1.b0100` in
    part 1 of several). `groups` are offsets into the blocks; `limit` is T and
    `threshold` tau of the last refinement; `edges`, where written, are the face
    neighbours, which the verifier derives again and compares.

    ```mlir
    %g = astfe.graph hilbert [4096, 4096]
      { b00 : 4711  b0100 : 380  b0101 : 377  b11 : 2900 }
      groups [0, 1, 3, 4] limit 4096 : !astfe.graph<4096x?>
    ```

    Constraints: (C1) the extents fit the type; the rest is `#astfe.graph`'s.
  }];
  let arguments = (ins ASTFE_GraphAttr:$value);
  let results = (outs ASTFE_GraphType:$result);
  let assemblyFormat = [{
    custom<ConstantGraph>($value) attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ASTFE_PackOp : ASTFE_Op<"pack", [Pure]> {
  let summary = "stores the pattern of a sparse tensor by a graph";
  let description = [{
    The result holds the positions of the tensor's nonzeros, not their values,
    in the way that its layout says. Without a graph it is a view: nothing is
    copied and kernels walk the tensor's own arrays row by row.

    ```mlir
    %V = astfe.pack %A
      : tensor<4096x?xf32, #CSR> -> !astfe.blocked<4096x?, #view>
    %P = astfe.pack %A by %g : tensor<4096x?xf32, #CSR>, !astfe.graph<4096x?>
      -> !astfe.blocked<4096x?, #pack>
    ```

    With `unless_stored` the matrix is packed unless it is at least as fast where
    it is stored in the products that are named, which the runtime sees when it
    packs. Then nothing is kept, and `astfe.is_stored` says so. Only CSR matrices
    with positions and coordinates of 32 or 64 bits are; others are packed:

    ```mlir
    %P = astfe.pack %A by %g unless_stored = <columns = 32, element_bytes = 4>
      : tensor<4096x?xf32, #CSR>, !astfe.graph<4096x?>
      -> !astfe.blocked<4096x?, #pack>
    ```

    Constraints: (C1) the tensor is sparse; (C2) the result has its shape; (C3)
    a packed layout has a graph, (C4) of that shape; (C5) a view's graph, where
    its order is in sight, runs along rows; (C6) what is packed unless it is
    stored is a matrix, for a host, and no view.
  }];
  let arguments = (ins AnyRankedTensor:$tensor,
                       Optional<ASTFE_GraphType>:$graph,
                       OptionalAttr<ASTFE_ProductsAttr>:$unless_stored);
  let results = (outs ASTFE_BlockedType:$result);
  let assemblyFormat = [{
    $tensor (`by` $graph^)? (`unless_stored` `=` $unless_stored^)? attr-dict
    `:` type($tensor) (`,` qualified(type($graph))^)? `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ASTFE_IsStoredOp : ASTFE_Op<"is_stored", [Pure]> {
  let summary = "whether a matrix is read where it is stored";
  let description = [{
    True where `astfe.pack ... unless_stored` packed nothing: computations read a
    view of the matrix then, and its pattern and packed values are empty. False
    for all other patterns.

    ```mlir
    %stored = astfe.is_stored %P : !astfe.blocked<4096x?, #pack>
    %C = scf.if %stored -> tensor<4096x32xf32> {
      // astfe.compute over a view of the matrix
    } else {
      // astfe.compute over %P
    }
    ```
  }];
  let arguments = (ins ASTFE_BlockedType:$pattern);
  let results = (outs I1:$result);
  let assemblyFormat = "$pattern attr-dict `:` qualified(type($pattern))";
}

def ASTFE_MatricizeOp : ASTFE_Op<"matricize", [Pure]> {
  let summary = "the matrix that a sparse tensor is for a sum over one mode";
  let description = [{
    The same nonzeros and values, where they are stored: the coordinates of the
    modes `rows`, as one number whose first mode counts most, number the rows,
    those of the mode `column` the columns. A sum over that mode into rows of the
    others, TTV or TTM, is a product of the matrix (B. Bader, T. Kolda,
    "Efficient MATLAB computations with sparse and factored tensors", 2007). Only
    `astfe.profile`, `astfe.pack` and `astfe.values` read it; nothing is sorted
    before it is packed. The encoding of the result says that it is sparse, and
    nothing about how it is stored.

    ```mlir
    %A = astfe.matricize %T rows [0, 2] column 1
      : tensor<30x40x50xf32, #CSF> to tensor<1500x40xf32, #COO>
    ```

    Constraints: (C1) the tensor is sparse; (C2) rows and column are its modes,
    each once; (C3) the result is a sparse matrix with the extents and the
    element type.
  }];
  let arguments = (ins AnyRankedTensor:$tensor, DenseI64ArrayAttr:$rows,
                       I64Attr:$column);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $tensor `rows` $rows `column` $column attr-dict `:` type($tensor) `to`
    type($result)
  }];
  let builders = [OpBuilder<(ins "mlir::Value":$tensor,
                                 "llvm::ArrayRef<int64_t>":$rows,
                                 "int64_t":$column)>];
  let hasVerifier = 1;
}

def ASTFE_ViewOp : ASTFE_Op<"view", [Pure]> {
  let summary = "a matrix's pattern in the buffers that hold it";
  let description = [{
    A view without its tensor: what `astfe.pack` without a graph becomes before
    bufferization, which does not know sparse tensors. `positions` and
    `coordinates` are those of the compressed level, below rows or, with
    `by_columns`, below columns; `rows` and `columns` are the matrix's.

    ```mlir
    %V = astfe.view %positions, %coordinates [%rows, %columns]
      : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
    ```

    Constraints: (C1) the result is a view (C2) of rank 2.
  }];
  let arguments = (ins MemRefRankOf<[Index, I8, I16, I32, I64], [1]>:$positions,
                       MemRefRankOf<[Index, I8, I16, I32, I64], [1]>:$coordinates,
                       Index:$rows, Index:$columns, UnitAttr:$by_columns);
  let results = (outs ASTFE_BlockedType:$result);
  let assemblyFormat = [{
    $positions `,` $coordinates `[` $rows `,` $columns `]`
    (`by_columns` $by_columns^)? attr-dict `:` type($positions) `,`
    type($coordinates) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ASTFE_ValuesOp : ASTFE_Op<"values", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>]> {
  let summary = "a tensor's values in the order of a blocked pattern";
  let description = [{
    ```mlir
    %v = astfe.values %A in %P
      : tensor<4096x?xf32, #CSR>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
    ```

    A packed tensor of another rank than two is arranged once for each mode that
    products sum into, and `key` says in which arrangement the values are:

    ```mlir
    %v = astfe.values %T in %Q key = 2
      : tensor<9x8x7xf32, #CSF>, !astfe.blocked<9x8x7, #pack> -> tensor<?xf32>
    ```

    Constraints: (C1) the tensor is sparse; (C2) the pattern has its shape; (C3)
    the result has its element type; (C4) the key is a mode, 0 for matrices. The
    values of what `astfe.unpack` makes in the same pattern and by the same key
    fold to the unpacked values.
  }];
  let arguments = (ins AnyRankedTensor:$tensor, ASTFE_BlockedType:$pattern,
                       DefaultValuedAttr<I64Attr, "0">:$key);
  let results = (outs ASTFE_ValueVector:$result);
  let assemblyFormat = [{
    $tensor `in` $pattern (`key` `=` $key^)? attr-dict `:` type($tensor) `,` qualified(type($pattern)) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ASTFE_UnpackOp : ASTFE_Op<"unpack", [Pure,
    AllTypesMatch<["tensor", "result"]>]> {
  let summary = "the exact inverse of values";
  let description = [{
    The tensor with the pattern of `tensor` whose values are `values`, which are
    in the order of `pattern` (arranged by `key`, as for `astfe.values`);
    `pattern` was packed from `tensor`.

    ```mlir
    %B = astfe.unpack %v in %P like %A
      : tensor<?xf32>, !astfe.blocked<4096x?, #pack>, tensor<4096x?xf32, #CSR>
    ```

    Constraints: (C1) the tensor is sparse; (C2) the pattern has its shape; (C3)
    the values have its element type; (C4) the key is a mode, 0 for matrices.
    Unpacking the tensor's own values folds to the tensor. Where nothing but the
    values of the result is read (`sparse_tensor.values`), `astfe.unpack_values`
    takes its place, which copies no positions and coordinates.
  }];
  let arguments = (ins ASTFE_ValueVector:$values,
                       ASTFE_BlockedType:$pattern, AnyRankedTensor:$tensor,
                       DefaultValuedAttr<I64Attr, "0">:$key);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $values `in` $pattern `like` $tensor (`key` `=` $key^)? attr-dict `:` type($values) `,`
    qualified(type($pattern)) `,` type($tensor)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def ASTFE_UnpackValuesOp : ASTFE_Op<"unpack_values", [Pure]> {
  let summary = "the values alone of what unpack makes";
  let description = [{
    `values`, which are in the order of `pattern` (arranged by `key`, as for
    `astfe.values`), in the order of the tensor that `pattern` was packed from.
    No tensor is made for them:

    ```mlir
    %S = astfe.unpack %v in %P like %A
      : tensor<?xf32>, !astfe.blocked<4096x?, #pack>, tensor<4096x?xf32, #CSR>
    %b = sparse_tensor.values %S : tensor<4096x?xf32, #CSR> to memref<?xf32>
    %s = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
    // becomes
    %s = astfe.unpack_values %v in %P
      : tensor<?xf32>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
    ```

    A computation that makes the values for this op alone writes them where the
    result is if the slots of the pattern are in the order of the nonzeros. Of a
    view they always are: the op folds to its values.

    The result has an element for each nonzero, and none where packing failed.

    Constraints: (C1) the result has the element type of the values; (C2) the key
    is a mode, 0 for matrices; (C3) the length of the result is not known.
  }];
  let arguments = (ins ASTFE_ValueVector:$values, ASTFE_BlockedType:$pattern,
                       DefaultValuedAttr<I64Attr, "0">:$key);
  let results = (outs ASTFE_ValueVector:$result);
  let assemblyFormat = [{
    $values `in` $pattern (`key` `=` $key^)? attr-dict `:` type($values) `,`
    qualified(type($pattern)) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

include "ASTFE/Dialect/ASTFEComputeOps.td"
include "ASTFE/Dialect/ASTFEFusedOps.td"

#endif // ASTFE_DIALECT_ASTFEOPS_TD
