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

class ASTFE_Op<string mnemonic, list<Trait> traits = []>
    : Op<ASTFE_Dialect, mnemonic, traits>;

def ASTFE_ProfileOp : ASTFE_Op<"profile", [Pure]> {
  let summary = "counts the work of a sparse tensor along an order";
  let arguments = (ins AnyRankedTensor:$tensor, ASTFE_OrderAttr:$order,
                       DefaultValuedAttr<I64Attr, "10">:$panel, I64Attr:$min,
                       OptionalAttr<ASTFE_ProfileAttr>:$known);
  let results = (outs ASTFE_ProfileType:$result);
  let assemblyFormat = [{
    `of` $tensor `order` `=` custom<OrderName>($order)
    (`panel` `=` $panel^)? `min` `=` $min (`known` `=` $known^)?
    attr-dict `:` type($tensor) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ASTFE_PartitionOp : ASTFE_Op<"partition", [Pure]> {
  let summary = "G(0): the uniform grid of a profile";
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
    (`steps` `=` $steps^)? attr-dict `:` qualified(type($graph)) `,` qualified(type($profile))
  }];
  let hasVerifier = 1;
}

def ASTFE_FuseOp : ASTFE_Op<"fuse", [Pure,
    AllTypesMatch<["graph", "result"]>]> {
  let summary = "merges and groups neighbours that do little";
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
  let arguments = (ins ASTFE_GraphAttr:$value);
  let results = (outs ASTFE_GraphType:$result);
  let assemblyFormat = [{
    custom<ConstantGraph>($value) attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ASTFE_PackOp : ASTFE_Op<"pack", [Pure]> {
  let summary = "regroups the pattern of a sparse tensor by a graph";
  let arguments = (ins AnyRankedTensor:$tensor,
                       Optional<ASTFE_GraphType>:$graph);
  let results = (outs ASTFE_BlockedType:$result);
  let assemblyFormat = [{
    $tensor (`by` $graph^)? attr-dict `:` type($tensor)
    (`,` qualified(type($graph))^)? `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def ASTFE_ValuesOp : ASTFE_Op<"values", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>]> {
  let summary = "a tensor's values in the order of a blocked pattern";
  let arguments = (ins AnyRankedTensor:$tensor, ASTFE_BlockedType:$pattern);
  let results = (outs 1DTensorOf<[AnyFloat, AnySignlessInteger, AnyComplex]>:$result);
  let assemblyFormat = [{
    $tensor `in` $pattern attr-dict `:` type($tensor) `,` qualified(type($pattern)) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def ASTFE_UnpackOp : ASTFE_Op<"unpack", [Pure,
    AllTypesMatch<["tensor", "result"]>]> {
  let summary = "the exact inverse of values";
  let description = [{
    The tensor with the pattern of `tensor` whose values are `values`, which are
    in the order of `pattern`; `pattern` was packed from `tensor`.
  }];
  let arguments = (ins 1DTensorOf<[AnyFloat, AnySignlessInteger, AnyComplex]>:$values,
                       ASTFE_BlockedType:$pattern, AnyRankedTensor:$tensor);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $values `in` $pattern `like` $tensor attr-dict `:` type($values) `,`
    qualified(type($pattern)) `,` type($tensor)
  }];
  let hasVerifier = 1;
}

def ASTFE_ComputeOp : ASTFE_Op<"compute", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one computation over the nonzeros of a pattern";
  let description = [{
    The iteration space is (n, i1..iD, dense...): n is the ordinal of the stored
    nonzero, i1..iD its coordinates. There is one map per input and output, from
    that space to the operand's dimensions; values map (n,..) -> (n). The body
    takes one scalar per input and yields one contribution per output, which is
    combined into it: `outs` is accumulated into. Operands are tensors or
    buffers (then there are no results).
  }];
  let arguments = (ins ASTFE_BlockedType:$pattern,
                       Variadic<AnyShaped>:$inputs, Variadic<AnyShaped>:$outputs,
                       AffineMapArrayAttr:$maps,
                       OptionalAttr<ASTFE_KernelAttr>:$kernel);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// The map of an input, then of an output.
    ::llvm::SmallVector<::mlir::AffineMap> getMapArray();
    /// 1 + rank of the pattern + dense dimensions.
    unsigned getIterationRank();
    /// The modes of the pattern, D.
    unsigned getPatternRank();
    /// Iterators in the order of the space: a dimension is a reduction iff some
    /// output's map does not use it; derived, never stored.
    ::llvm::SmallVector<::mlir::utils::IteratorType> getIteratorTypes();
    bool hasBufferSemantics();
  }];
}

def AtomicRMWKindArrayAttr
    : TypedArrayAttrBase<AtomicRMWKindAttr, "array of combiners">;

def ASTFE_YieldOp : ASTFE_Op<"yield", [Pure, Terminator, ReturnLike,
    HasParent<"ComputeOp">]> {
  let summary = "contributions and how they are combined";
  let description = [{ `astfe.yield "addf" %p : f32`, one pair per output. }];
  let arguments = (ins AtomicRMWKindArrayAttr:$kinds, Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state,
      $_builder.getArrayAttr({}), ::mlir::ValueRange{}); }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The combiner of output `i`.
    ::mlir::arith::AtomicRMWKind getKind(unsigned i);
  }];
}

#endif // ASTFE_DIALECT_ASTFEOPS_TD
