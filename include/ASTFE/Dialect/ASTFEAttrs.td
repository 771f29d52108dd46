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
    The whole contract between `astfe.pack` and a kernel. `view` walks the
    caller's own arrays; `packed` regroups. `columns` is the width of a stored
    column in bits (8 and 16 relative to the span's first column, 32 global),
    `classes` the permitted segment classes (`scattered` is always among those
    of a packed layout), `deterministic` forbids atomics, and `assume_finite`
    permits zero-filled tiles.

    ```mlir
    #astfe.layout<view>
    #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
    #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile], deterministic>
    ```
  }];
  // `classes` is the bit set of core::ClassSet.
  let parameters = (ins "::astfe::Storage":$storage, "uint32_t":$columns,
                        "uint32_t":$classes, "bool":$deterministic,
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
  let summary = "the derivation of a fused kernel";
  let description = [{
    The productions of the kernel grammar that are compiled in, and the column
    tile that the kernel is specialised on (0 for one column).

    ```mlir
    #astfe.kernel<["row_segments", "scattered"], column_tile = 128>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$productions,
                        "int64_t":$columnTile);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_PartAttr : ASTFE_Attr<"Part", "part"> {
  let summary = "a box of the index space with its own order";
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
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape,
                        ArrayRefParameter<"::astfe::PartAttr">:$parts,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$permutations);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_ProfileAttr : ASTFE_Attr<"Profile", "profile"> {
  let summary = "a constant profile: work along the order";
  let description = [{
    A sorted, disjoint list of bins (part, length, prefix) with nonzeros and,
    where measured, cycles and bytes (empty arrays when nothing was). Prefixes
    are left-aligned in 64 bits, as in Core/Order.h.
  }];
  let parameters = (ins "::astfe::SpaceAttr":$space,
                        "::mlir::StringAttr":$kernel, "::mlir::StringAttr":$target,
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
  }];
  let parameters = (ins "::astfe::SpaceAttr":$space,
                        "::mlir::DenseI32ArrayAttr":$part,
                        "::mlir::DenseI8ArrayAttr":$length,
                        "::mlir::DenseI64ArrayAttr":$prefix,
                        "::mlir::DenseI64ArrayAttr":$nonzeros,
                        "::mlir::DenseI64ArrayAttr":$groups,
                        "int64_t":$limit,
                        OptionalParameter<"::mlir::FloatAttr">:$threshold);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // ASTFE_DIALECT_ASTFEATTRS_TD
