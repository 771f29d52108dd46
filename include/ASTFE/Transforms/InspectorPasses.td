//===- InspectorPasses.td - what a pattern needs once ------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_INSPECTORPASSES_TD
#define ASTFE_TRANSFORMS_INSPECTORPASSES_TD

include "ASTFE/Analysis/PassOption.td"

def MergeInspectorsPass : Pass<"astfe-merge-inspectors"> {
  let summary = "Computes equal profiles, graphs and packs once";
  let description = [{
    Of two equal profiles, graphs, packs or values the later one is replaced by
    the one that dominates it, and what nobody reads is erased. Upstream's `cse`
    does that for every op, which is wrong before bufferization: two empty
    tensors, or two conversions of one tensor, may be written in place later on.
    This pass touches our ops alone. Values that may be written in between
    (`sparse_tensor.values`, see `astfe-hoist-inspector`) are not merged.

    Example (test/Transforms/merge-inspectors/doctest.mlir):

    ```mlir
    %P = astfe.pack %A : ...
    %r = astfe.compute over %P ...
    %Q = astfe.pack %A : ...
    %s = astfe.compute over %Q ...
    // becomes
    %P = astfe.pack %A : ...
    %r = astfe.compute over %P ...
    %s = astfe.compute over %P ...
    ```
  }];
  let statistics = [
    Statistic<"numMerged", "merged", "Ops that were replaced by equal ones">,
  ];
}

def HoistInspectorPass : Pass<"astfe-hoist-inspector", "::mlir::ModuleOp"> {
  let summary = "Moves partitioning and packing out of loops and callees";
  let description = [{
    Profiles, graphs, packs and values that no trip of a loop changes are
    computed once, before it. Nothing else moves, unlike with
    `loop-invariant-code-motion`: an output that each trip initialises afresh
    must stay in the loop, as computations work in place.

    Those of a function's arguments are left to its callers in the module, who
    know whether it is the same tensor again: the function takes the pattern and
    the values instead. A public function keeps its type and calls a private
    `@f_inspected`. Functions that call themselves, and private ones that are
    used otherwise than called, stay as they are.

    Values of a tensor that something in the module may write through the buffer
    of `sparse_tensor.values` stay in front of the computation that reads them,
    and a remark says so; the pattern moves. A buffer that is handed to a
    function, or leaves a block, is taken as written, and so is a tensor that a
    function gets which is not in the module. Whether two tensors are one
    is known of those that an op makes and of arguments of functions that nobody in
    the module calls; others may be any tensor of the element type.

    Example (test/Transforms/hoist-inspector/doctest.mlir):

    ```mlir
    scf.for ... {
      %P = astfe.pack %A by %g : ...
      %r = astfe.compute over %P ...
    }
    // becomes
    %P = astfe.pack %A by %g : ...
    scf.for ... {
      %r = astfe.compute over %P ...
    }
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "hoisted", "Ops that left a loop">,
    Statistic<"numLifted", "lifted", "Functions whose callers inspect">,
  ];
}

def SplitInspectorPass : Pass<"astfe-split-inspector", "::mlir::ModuleOp"> {
  let summary = "Separates what depends on the pattern from what runs";
  let description = [{
    Partitioning and packing depend on where the nonzeros are, not on their
    values, and cost many runs. For each function `@f` that packs by a graph,
    everything up to `astfe.pack` moves to `@f_prepare`, the rest, `astfe.values`
    included, to `@f_run`, and `@f` calls both. A program that runs often on one
    pattern calls the two itself; the pattern belongs to the caller of
    `@f_prepare`, who releases it.

    With `with-values` the values move too, for callers whose values stay the
    same; arguments that only the inspector needs are then not passed to
    `@f_run`. Values that the module may write through `sparse_tensor.values` do
    not move.

    Only packs in the entry block move, and only if all that they need has no
    side effects; views are not moved, as they cost nothing.

    Example (test/Transforms/split-inspector/doctest.mlir):

    ```mlir
    func.func @f(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
        -> tensor<?xf32> {
      %P = call @f_prepare(%A) : (tensor<?x?xf32, #CSR>) -> !astfe.blocked<...>
      %r = call @f_run(%P, %A, %x, %y) : (...) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "split", "Functions that were split">,
  ];
  let options = [
    ShownOption<"withValues", "with-values", "bool", "false",
                "Values move to @f_prepare too: for callers whose values stay">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // ASTFE_TRANSFORMS_INSPECTORPASSES_TD
