//===- ASTFEComputeOps.td - one computation over nonzeros --*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included by ASTFEOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFECOMPUTEOPS_TD
#define ASTFE_DIALECT_ASTFECOMPUTEOPS_TD

def ASTFE_ComputeOp : ASTFE_Op<"compute", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one computation over the nonzeros of a pattern";
  let description = [{
    The iteration space is (n, i1..iD, dense...): n is the ordinal of the stored
    nonzero, i1..iD its coordinates. There is one map per input and output, from
    that space to the operand's dimensions; values map (n,..) -> (n). The body
    takes one scalar per input and yields one contribution per output, which is
    combined into it: `outs` is accumulated into. With `overwrite`, written
    behind the outputs, it is not read: an output is what its contributions
    combine to, and its combiner's identity where there are none, as if `outs`
    were filled with that first. Operands are tensors or buffers (then there are
    no results). A dimension is a reduction iff some output does not use it; this
    is derived, never stored.

    `kernel` is what `astfe-select-kernels` chose; without it the computation is
    not yet tied to an implementation.

    ```mlir
    // C += A B, A sparse: the body runs for each nonzero and each column.
    %r = astfe.compute over %P : !astfe.blocked<4096x?, #pack>
        maps [affine_map<(n, i, k, j) -> (n)>, affine_map<(n, i, k, j) -> (k, j)>,
              affine_map<(n, i, k, j) -> (i, j)>]
        ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
        outs(%C : tensor<4096x128xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } kernel <[row_segments, scattered], column_tile = 128>
      -> tensor<4096x128xf32>
    ```

    Constraints: (C1) one map per input and output, (C2) all from one space,
    without symbols, (C3) which picks one dimension per dimension of its
    operand, no dimension twice; (C4) an operand indexed by n has rank 1; (C5)
    static extents agree and (C6) each dense dimension indexes something; (C7)
    operands are all tensors or all buffers and (C8) dense; (C9) the space has
    at least 1 + D dimensions; (C10) the body has one argument per input, (C11)
    of its element type; it yields one contribution per output (C12) of its
    element type (C13); (C14) results are the outputs' types; (C15) there is an
    output; (C16) combiners have an identity where `outs` is overwritten; (C17)
    values that `astfe.values` makes in sight, of a packed pattern of another
    rank than two, are by the key of the computation: the first mode that indexes
    its first output.
  }];
  let arguments = (ins ASTFE_BlockedType:$pattern,
                       Variadic<AnyShaped>:$inputs, Variadic<AnyShaped>:$outputs,
                       AffineMapArrayAttr:$maps,
                       OptionalAttr<ASTFE_KernelAttr>:$kernel,
                       UnitAttr:$overwrite);
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
    /// The first mode that indexes the first output; none where no mode does.
    ::std::optional<unsigned> getKeyMode();
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
  let description = [{
    `astfe.yield "addf" %p : f32`, one pair per output. The combiner is
    associative and commutative; in which order contributions are combined is
    the kernel's choice.

    An output that is overwritten begins with the combiner's identity, or with
    another number of which it is no matter how often it is combined, as if
    `outs` were filled with that: `astfe.yield "minimumf" from 1.0e+30 : f32
    %p : f32`.

    Constraints: (C1) as many combiners as contributions; (C2) a combiner fits
    its type, and is not `assign`; (C3) one start for each output, where there
    are any: a finite number of its type and no truth value, of a minimum, a
    maximum, and or or; `unit` stands for the identity, but not for all; (C4)
    only what is overwritten has one, and nothing by nonzeros.
  }];
  let arguments = (ins AtomicRMWKindArrayAttr:$kinds, Variadic<AnyType>:$values,
                       OptionalAttr<ArrayAttr>:$starts);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state,
      $_builder.getArrayAttr({}), ::mlir::ValueRange{}); }]>,
    OpBuilder<(ins "::mlir::ArrayAttr":$kinds, "::mlir::ValueRange":$values),
      [{ build($_builder, $_state, kinds, values, ::mlir::ArrayAttr()); }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The combiner of output `i`.
    ::mlir::arith::AtomicRMWKind getKind(unsigned i);
    /// Its neutral element; null where elements are no integers or floats.
    ::mlir::TypedAttr getIdentity(unsigned i);
    /// What output `i` begins with where it is overwritten; null where nothing
    /// says and there is no identity.
    ::mlir::TypedAttr getStart(unsigned i);
    /// The start that is given; null where it is the identity.
    ::mlir::TypedAttr getGivenStart(unsigned i);
    /// Whether an output may begin with it: it is no matter how often it is
    /// combined.
    static bool mayStart(::mlir::arith::AtomicRMWKind kind,
                         ::mlir::TypedAttr start);
  }];
}

#endif // ASTFE_DIALECT_ASTFECOMPUTEOPS_TD
