//===- ChainPasses.td - chains over one pattern ------------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_CHAINPASSES_TD
#define ASTFE_TRANSFORMS_CHAINPASSES_TD

include "ASTFE/Analysis/PassOption.td"

def FuseComputesPass : Pass<"astfe-fuse-computes"> {
  let summary = "Makes chains of computations over one pattern astfe.fused";
  let description = [{
    From each computation, the last of a block first, collects the computations
    over the same pattern that make what it reads, and what those read, as far as
    rules F1 to F7 of `astfe.fused` allow, then the elementwise ops that read its
    result alone, as epilogues. First of all, whoever reads values that were unpacked to
    the same pattern reads what was unpacked, in the chain or elsewhere, and
    patterns of what was unpacked are those of the tensor that it was unpacked
    like; tensors that nobody reads then go. So sparse attention as linalg has it
    is one chain (examples/attention.mlir). Two or more become one `astfe.fused`, in
    the place of the last. What others read too becomes a result, unless they run
    in between.

    A chain saves the memory traffic of what its members hand to each other,
    which a remark states in bytes for each nonzero and each key. What a row of
    dense extents would take more than `cache` bytes for stays outside, and so does
    what reads a tensor that the chain adds to: one op would need a copy of it.
    So does what reads values that the program may write through
    `sparse_tensor.values`, perhaps between two members. For each
    computation that is kept apart a remark names the rule that it breaks.

    Example (test/Transforms/fuse-computes/doctest.mlir):

    ```mlir
    %s = astfe.compute over %P maps [#n, #j, #n] ins(%v, %x) outs(%s0) overwrite ...
    %S = astfe.unpack %s in %P like %A
    %Q = astfe.pack %S
    %t = astfe.values %S in %Q
    %r = astfe.compute over %Q maps [#nx, #jx, #ix] ins(%t, %B) outs(%C) ...
    // becomes
    %r = astfe.fused over %p = %P ins(%a = %v, %b = %x, %c = %B) outs(%o = %C) {
      %l = astfe.local over %p at #n
      %s = astfe.compute over %p maps [#n, #j, #n] ins(%a, %b) outs(%l) overwrite ...
      %t = astfe.compute over %p maps [#nx, #jx, #ix] ins(%s, %c) outs(%o) ...
      astfe.return %t
    }
    ```
  }];
  let statistics = [
    Statistic<"numFused", "fused", "Chains that became one op">,
  ];
  let options = [
    ShownOption<"cache", "cache", "int64_t", "262144",
                "Bytes that a local may take for one key">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect",
                           "::mlir::tensor::TensorDialect"];
}

def UnfuseComputesPass : Pass<"astfe-unfuse-computes"> {
  let summary = "Inlines astfe.fused: one kernel per computation";
  let description = [{
    Puts the computations and epilogues of each `astfe.fused` where it stands. A
    local becomes a `tensor.empty`: the number of slots is that of the values in
    the pattern, the extents are those of the tensor that was packed, which has
    to be in sight. This is what runs where no fused kernel exists. With
    `keep=host` or `keep=gpu`, chains that have one there stay
    (`Analysis/FusedPlan.h`). They read the matrix where it is stored, and
    `astfe-partition` leaves it there: what a chain gathers is the same in packed
    storage, which would only shorten the columns' numbers.

    Example (test/Transforms/unfuse-computes/doctest.mlir):

    ```mlir
    %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
        outs(%o = %y : tensor<?xf32>) {
      %s0 = astfe.local over %p at #n : !P -> tensor<?xf32>
      %s = astfe.compute over %p : !P maps [#n, #n] ins(%a) outs(%s0) overwrite ...
      %t = astfe.compute over %p : !P maps [#n, #i] ins(%s) outs(%o) ...
      astfe.return %t : tensor<?xf32>
    } -> tensor<?xf32>
    // becomes
    %n = tensor.dim %v, %c0 : tensor<?xf32>
    %s0 = tensor.empty(%n) : tensor<?xf32>
    %s = astfe.compute over %P : !P maps [#n, #n] ins(%v) outs(%s0) overwrite ...
    %r = astfe.compute over %P : !P maps [#n, #i] ins(%s) outs(%y) ...
    ```
  }];
  let statistics = [
    Statistic<"numUnfused", "unfused", "Chains that were inlined">,
  ];
  let options = [
    ShownOption<"keep", "keep", "std::string", "\"none\"",
                "Chains that stay: none, or those with a kernel on the host, or "
                "on a gpu">,
    ShownOption<"packs", "packs", "bool", "false",
                "What is not kept will be packed: chains of one computation, "
                "whose packed kernel can be the faster one, do not stay">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // ASTFE_TRANSFORMS_CHAINPASSES_TD
