//===- ASTFEFusedOps.td - chains over one pattern ----------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included at the end of ASTFEOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEFUSEDOPS_TD
#define ASTFE_DIALECT_ASTFEFUSEDOPS_TD

def ASTFE_FusedOp : ASTFE_Op<"fused", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"ReturnOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a chain of computations over one pattern, as one kernel";
  let description = [{
    Groups computations over one pattern that a kernel runs key by key (row by
    row, say), so that what they hand to each other never reaches memory. The op
    means its region, run in sequence; `astfe-unfuse-computes` inlines it.

    The region's arguments are the pattern, the inputs and the outputs. What
    computations hand to each other begins as an `astfe.local`, which holds
    nothing, and is overwritten. An *epilogue* is an all-parallel
    `linalg.generic` over (key, dense...): it runs once for every key of the
    index space, keys without nonzeros too, after the computations.

    Sparse attention, O += softmax(mask * (Q K^T)) V over the stored entries,
    with #n = (n, i, j) -> (n), #i = (i), #nx = (n, i, j, x) -> (n), #ix = (i, x)
    and #jx = (j, x):

    ```mlir
    %r = astfe.fused over %p = %P : !astfe.blocked<?x?, #view>
        ins(%a = %A, %q = %Q, %k = %K, %v = %V : tensor<?xf32>,
            tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%o = %O : tensor<?x64xf32>) {
      %s0 = astfe.local over %p at #n
        : !astfe.blocked<?x?, #view> -> tensor<?xf32>
      %s = astfe.compute over %p : !astfe.blocked<?x?, #view>
          maps [#nx, #ix, #jx, #nx]
          ins(%a, %q, %k : tensor<?xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
          outs(%s0 : tensor<?xf32>) overwrite {
      ^bb0(%w: f32, %x: f32, %y: f32):
        %xy = arith.mulf %x, %y : f32
        %t = arith.mulf %w, %xy : f32
        astfe.yield "addf" %t : f32
      } -> tensor<?xf32>
      %m0 = astfe.local over %p at #i
        : !astfe.blocked<?x?, #view> -> tensor<?xf32>
      %m = astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#n, #i]
          ins(%s : tensor<?xf32>) outs(%m0 : tensor<?xf32>) overwrite {
      ^bb0(%t: f32):
        astfe.yield "maximumf" %t : f32
      } -> tensor<?xf32>
      // e = exp(s - m), l = sum of e, p = e / l, each with its local, then:
      %o1 = astfe.compute over %p : !astfe.blocked<?x?, #view>
          maps [#nx, #jx, #ix]
          ins(%p1, %v : tensor<?xf32>, tensor<?x64xf32>)
          outs(%o : tensor<?x64xf32>) {
      ^bb0(%t: f32, %x: f32):
        %y = arith.mulf %t, %x : f32
        astfe.yield "addf" %y : f32
      } -> tensor<?x64xf32>
      astfe.return %o1 : tensor<?x64xf32>
    } -> tensor<?x64xf32>
    ```

    Constraints, so that one key (or one worker with several keys) can be run
    without the others: (F1) the region is isolated; its arguments are the
    pattern, inputs (dense tensors, or scalars) and outputs, operands are all
    tensors or all buffers, and results are the outputs' types; (F2) the region
    holds computations over its pattern, locals, constants and epilogues, whose
    results no computation reads; (F3) what is written is indexed by the nonzero
    or by the key, one mode that the whole op shares, then by dense dimensions;
    what is first written into a local overwrites it; (F4) what is written at a
    nonzero or key is read there only; (F5) result k is what was written into
    output k, each value is written into once and nobody else reads what was
    there before; (F6) bodies may be speculated; combiners are associative, as
    `astfe.yield` has them; (F7) every slot of the pattern's layout is a nonzero:
    zero-filled tiles would take part in maxima and sums.
  }];
  let arguments = (ins ASTFE_BlockedType:$pattern, Variadic<AnyType>:$inputs,
                       Variadic<AnyShaped>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    ::mlir::BlockArgument getPatternArgument();
    ::llvm::ArrayRef<::mlir::BlockArgument> getInputArguments();
    ::llvm::ArrayRef<::mlir::BlockArgument> getOutputArguments();
    bool hasBufferSemantics();
    /// The `astfe.local` or the argument that `value`, which is of the region,
    /// was written into; `value` itself where it was not written.
    static ::mlir::Value getOrigin(::mlir::Value value);
    /// Whether the first that is written into output `i` overwrites it.
    bool overwrites(unsigned i);
    /// The dimension of (n, i1..iD) that is the key; none where all that is
    /// written is indexed by the nonzero.
    std::optional<unsigned> getKeyDim();
  }];
}

def ASTFE_ReturnOp : ASTFE_Op<"return", [Pure, Terminator, ReturnLike,
    HasParent<"FusedOp">]> {
  let summary = "the results of astfe.fused";
  let description = [{
    `astfe.return %o : tensor<?x64xf32>`; nothing where operands are buffers.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state,
      ::mlir::ValueRange{}); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def ASTFE_LocalOp : ASTFE_Op<"local"> {
  let summary = "a place for one value per nonzero or key, which holds nothing";
  let description = [{
    A tensor (or buffer) with the extents that `map` picks of (n, i1..iD,
    dense...): the slots of the pattern, an extent of its index space, and dense
    extents, static or among `sizes`. Only computations with `overwrite` may
    write into it first. Two locals are never one.

    ```mlir
    %s = astfe.local over %p at affine_map<(n, i, j) -> (n)>
      : !astfe.blocked<?x?, #view> -> tensor<?xf32>
    %o = astfe.local over %p [%heads] at affine_map<(n, i, j, h) -> (i, h)>
      : !astfe.blocked<?x?, #view> -> tensor<?x?xf32>
    ```

    Constraints: (C1) the map is over at least 1 + D dimensions, without
    symbols, and (C2) picks one dimension per dimension of the result, none
    twice: (C3) n or one of i1..iD first, then dense ones; (C4) there is a size
    for each dynamic dense extent; (C5) static extents agree with the pattern;
    (C6) the result is a ranked tensor without an encoding, or a buffer.
  }];
  let arguments = (ins ASTFE_BlockedType:$pattern, Variadic<Index>:$sizes,
                       AffineMapAttr:$map);
  let results = (outs Res<AnyShaped, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    `over` $pattern (`[` $sizes^ `]`)? `at` $map attr-dict `:`
    qualified(type($pattern)) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // ASTFE_DIALECT_ASTFEFUSEDOPS_TD
