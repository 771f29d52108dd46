//===- ASTFEAttrs.td - attributes of the astfe dialect -----*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEATTRS_TD
#define ASTFE_DIALECT_ASTFEATTRS_TD

include "ASTFE/Dialect/ASTFEEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"

class ASTFE_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<ASTFE_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def ASTFE_LayoutAttr : ASTFE_Attr<"Layout", "layout"> {
  let summary = "how a blocked pattern is stored";
  let description = [{
    The whole contract between `astfe.pack` and a kernel: pack is told nothing
    else but the numbers of workers and threads, and the runtime gets all of it.
    `view` walks the caller's own arrays; `packed` stores nonzeros by class.

    | field | says |
    |---|---|
    | `columns` | the width of a stored column in bits: 8 and 16 are relative to the span's first column, 32 is the column itself |
    | `classes` | the permitted classes of blocks |
    | `target` | whose workers the pattern is cut for: threads of a `host`, or warps of a `gpu` |
    | `window` | for hosts, the columns of a window of `row_windows` |
    | `dense_bytes` | for hosts, the bytes of a row of the dense operands, where these may be taken strip by strip, or are so narrow that rows of the pattern may be sorted by length; 0: not known |
    | `column_tile` | for GPUs, the dense columns that a warp takes at a time, 0 where products have one column |
    | `deterministic` | no atomics |
    | `assume_finite` | dense operands hold no Inf or NaN, so that tiles may be zero-filled |

    What has its default is not written.

    Constraints: (C1) columns of 8, 16 or 32 bits; (C2) packed storage permits
    `row_segments` or `scattered`, which store any nonzeros; (C3) `row_slices`
    comes with `scattered`, which stores pieces of slices; (C4) a window has 1 to
    192 columns, (C5) dense_bytes >= 0, and (C6) both are for hosts; (C7) the
    column tile is 0 or a power of two up to 128, and (C8) for GPUs; (C9) a GPU's
    classes are those that its kernels have; (C10) each field is written once.

    ```mlir
    #astfe.layout<view>
    #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
    #astfe.layout<packed, columns = 32,
                  classes = [row_segments, scattered, dense_tile], deterministic>
    #astfe.layout<packed, columns = 16,
                  classes = [row_segments, scattered, row_windows, row_tiles],
                  dense_bytes = 2048>
    #astfe.layout<packed, columns = 32, classes = [row_segments, scattered],
                  target = gpu, column_tile = 64>
    ```
  }];
  // `classes` is the bit set of core::ClassSet.
  let parameters = (ins "::astfe::Storage":$storage, "uint32_t":$columns,
                        "uint32_t":$classes, "::astfe::PackTarget":$target,
                        "int64_t":$window, "int64_t":$denseBytes,
                        "int64_t":$columnTile, "bool":$deterministic,
                        "bool":$assumeFinite);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// `#astfe.layout<view>`.
    static LayoutAttr getView(::mlir::MLIRContext *context);
    bool isView() const { return getStorage() == ::astfe::Storage::View; }
  }];
}

def ASTFE_KernelAttr : ASTFE_Attr<"Kernel", "kernel"> {
  let summary = "what a fused kernel is compiled for";
  let description = [{
    The classes that there is code for, and the column tile that the kernel is
    specialised on (0 for one column). Code is emitted for the classes that are
    both listed and permitted by the layout; a pattern that holds another one is
    an error of the call, which then does nothing.

    Constraints: (C1) each class is known and (C2) occurs once; (C3) there is at
    least one; (C4) the tile is 0 or a power of two.

    ```mlir
    #astfe.kernel<[row_segments, scattered], column_tile = 128>
    ```
  }];
  // `classes` is the bit set of core::ClassSet.
  let parameters = (ins "uint32_t":$classes, "int64_t":$columnTile);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_SearchAttr : ASTFE_Attr<"Search", "search"> {
  let summary = "the products that an arrangement is chosen for at run time";
  let description = [{
    `order=auto` and `reorder=auto`, left to the run time, which sees the tensor:
    rows as they are, unless another order or numbering is predicted to be
    faster and its search pays within `runs` runs (Core/Plan/Choose.h). C, Python
    and astfe-run choose so, too.

    | field | says |
    |---|---|
    | `columns` | of the dense operands, or the length of their rows |
    | `element_bytes` | of a stored element, as which those of the operands count |
    | `runs` | of the products over one pattern |
    | `orders`, `reorderings` | whether these are compared; the profile's own is taken else |
    | `samples` | products are sampled: both sides are gathered, nothing is written back |
    | `gpu` | they run on a GPU |
    | `whole` | rows that are chosen, of which none are set apart, stay one block, which is not profiled, and which partition, refine and fuse leave whole: threads of a host take equal runs of rows whatever the blocks are |

    What has its default is not written: both are compared, the rest is false.

    Constraints: (C1) columns, element_bytes and runs >= 1; (C2) orders,
    reorderings, or both are compared.

    ```mlir
    #astfe.search<columns = 32, element_bytes = 4, runs = 100, whole = true>
    ```
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$element_bytes,
                        "int64_t":$runs,
                        DefaultValuedParameter<"bool", "true">:$orders,
                        DefaultValuedParameter<"bool", "true">:$reorderings,
                        DefaultValuedParameter<"bool", "false">:$samples,
                        DefaultValuedParameter<"bool", "false">:$gpu,
                        DefaultValuedParameter<"bool", "false">:$whole);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def ASTFE_ProductsAttr : ASTFE_Attr<"Products", "products"> {
  let summary = "the products that a matrix is stored for";
  let description = [{
    What the choice between packed storage and the matrix as it is stored depends
    on beside the matrix (Core/Plan/HostStorage.h): the columns of the dense
    operand, where each part of complex numbers is one, 0 where nothing is read
    by columns, and the bytes of an element of the result, or of a part of it.

    Constraints: (C1) columns >= 0; (C2) element_bytes in 1..64.

    ```mlir
    #astfe.products<columns = 32, element_bytes = 4>
    ```
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$element_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def ASTFE_PartAttr : ASTFE_Attr<"Part", "part"> {
  let summary = "a box of the index space with its own order";
  let description = [{
    `#astfe.part<hilbert [16, 4096] at [0, 0]>`: extents, then the origin, which
    is left out at zero. `panels(12)` has panels of 2^12 rows, `panels` of 2^10.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$origin,
                        "::mlir::DenseI64ArrayAttr":$extents,
                        "::astfe::Order":$order, "uint32_t":$panel);
  let hasCustomAssemblyFormat = 1;
}

def ASTFE_SpaceAttr : ASTFE_Attr<"Space", "space"> {
  let summary = "shape, parts and permutations of a graph or profile";
  let description = [{
    The concrete extents, the parts that tile them, and one permutation per mode
    (an empty array where the mode is not permuted).

    ```mlir
    #astfe.space<hilbert [4096, 4096]>
    #astfe.space<parts [rows [2, 8], hilbert [6, 8] at [2, 0]] of [8, 8]
                 permuted [[3, 2, 1, 0, 7, 6, 5, 4], []]>
    ```

    Constraints: (C1) extents in 0..2^62, at most 8; (C2) permutations are
    bijections, (C3) one per mode or none; (C4) parts lie inside the space, (C5)
    do not overlap and (C6) leave no gap.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape,
                        ArrayRefParameter<"::astfe::PartAttr">:$parts,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">
                            :$permutations);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_ProfileAttr : ASTFE_Attr<"Profile", "profile"> {
  let summary = "a constant profile: work along the order";
  let description = [{
    A sorted, disjoint list of bins (part, length, prefix) with nonzeros and,
    where measured, cycles and bytes (empty arrays when nothing was). Prefixes
    are left-aligned in 64 bits, as in Core/Order/Order.h.

    ```mlir
    #astfe.profile<hilbert [64, 64] {b00 : 70  b01 : 12}>
    #astfe.profile<hilbert [64, 64] measured [cycles, bytes]
                   {b00 : 70 (900, ?)} kernel "spmm" target "sm_90"
                   fingerprint 17>
    ```

    Constraints: (C7) bins ascend along the curve and are disjoint, (C8) no
    deeper than the order; (C9) nonzeros are positive; (C10) measures are counts
    or -1 (`?`) where unknown; (C11) the totals of all counts are below 2^63.
  }];
  let parameters = (ins "::astfe::SpaceAttr":$space,
                        "::mlir::StringAttr":$kernel,
                        "::mlir::StringAttr":$target,
                        "uint64_t":$fingerprint,
                        "::mlir::DenseI32ArrayAttr":$part,
                        "::mlir::DenseI8ArrayAttr":$length,
                        "::mlir::DenseI64ArrayAttr":$prefix,
                        "::mlir::DenseI64ArrayAttr":$nonzeros,
                        "::mlir::DenseI64ArrayAttr":$cycles,
                        "::mlir::DenseI64ArrayAttr":$bytes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_GraphAttr : ASTFE_Attr<"Graph", "graph"> {
  let summary = "a constant partition graph";
  let description = [{
    Blocks in curve order (part, length, prefix, nonzeros), offsets of the
    groups, the limit T (0 when not refined) and tau (absent: auto).

    `edges` are the face neighbours where they are written down (absent: derived
    when needed; passes that make graphs never write them, so none are stale;
    `astfe-print-graph=format=mlir edges` shows a graph with them). `0 -- 1 axis
    1 : 12` says that blocks 0 and 1 touch at a face normal to axis 1 and share
    12 modelled rows of dense operands, where an output row counts twice: times
    columns times element bytes, that is what both move. They are stored as
    (from, to, axis, rows), flat.

    ```mlir
    #astfe.graph<hilbert [4096, 4096] {b00 : 4711  b0100 : 380}
                 groups [0, 1, 2] limit 4096 threshold 0.66>
    #astfe.graph<morton [4, 4] {b00 : 4  b01 : 4  b10 : 4  b11 : 4}
                 groups [0, 2, 4]
                 edges {0 -- 1 axis 1 : 4  0 -- 2 axis 0 : 2
                        1 -- 3 axis 0 : 2  2 -- 3 axis 1 : 4}>
    ```

    Constraints: (C1) blocks ascend along the curve and are disjoint, (C2) no
    deeper than the order, (C3) of a part that exists; (C4) counts are not
    negative; (C5) groups run from 0 to the number of blocks and (C6) ascend;
    (C7) the limit is not negative; (C8) the threshold is between 0.5 and 1;
    (C9) edges join ascending pairs of blocks, (C10) ascend, (C11) join only
    blocks that share a face and (C12) all of them, (C13) with the axis normal
    to that face and (C14) the rows that Core derives.
  }];
  let parameters = (ins "::astfe::SpaceAttr":$space,
                        "::mlir::DenseI32ArrayAttr":$part,
                        "::mlir::DenseI8ArrayAttr":$length,
                        "::mlir::DenseI64ArrayAttr":$prefix,
                        "::mlir::DenseI64ArrayAttr":$nonzeros,
                        "::mlir::DenseI64ArrayAttr":$groups,
                        "int64_t":$limit,
                        OptionalParameter<"::mlir::FloatAttr">:$threshold,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$edges);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // ASTFE_DIALECT_ASTFEATTRS_TD
