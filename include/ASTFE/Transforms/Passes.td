//===- Passes.td - passes on the astfe dialect -------------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_PASSES_TD
#define ASTFE_TRANSFORMS_PASSES_TD

include "ASTFE/Analysis/PassOption.td"

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
    - other inputs are dense tensors, or scalars, which the body then reads from
      outside (constants are copied into it; on a GPU only those can be had, or
      tensors of rank 0);
    - the plan (`Analysis/ComputePlan.h`) of the computation runs in parallel,
      of the caller's storage or of a packed pattern, on the `target`;
    - the output is dense, or sparse and empty with the type and the map of the
      sparse input: then it has that input's pattern (a sampled product, say,
      or a scaling of the stored values), and comes as `astfe.unpack` of one
      value a nonzero;
    - the body combines one contribution into `outs` with `arith.addf`, and the
      contribution is zero where the stored value is. Only then do entries that
      are not stored change nothing: 0 is the identity of `addf`, but not of
      `mulf`, `maximumf` or `minimumf`, so those stay as they are. A body is
      zero-preserving if it is built from the value by `mulf` and `divf`
      (numerator) with anything, `negf`, `absf`, `sqrt`, and `addf` and `subf` of
      two zero-preserving terms. As in the upstream sparsifier, 0 times Inf or
      NaN counts as 0: entries that are not stored are never touched.

    C = A B comes as a product that is added to a fill. Where `outs` is
    `tensor.empty`, or a `linalg.fill` with 0 in the same function, generalized
    or not, the computation gets `overwrite` and the fill goes, unless others
    read it. So it does where `outs` is an argument with the attribute
    `astfe.undefined`, by which a caller says that it holds nothing. What a caller filled, or what a loop carries, is added to; a remark
    says so.

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
  let statistics = [
    Statistic<"numRaised", "raised", "Computations that were raised">,
    Statistic<"numKept", "kept", "Ops on sparse tensors that were left">,
  ];
  let options = [
    ShownOption<"target", "target", "std::string", "\"host\"",
                "What the computations are for: host or gpu">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AttachProfilePass : Pass<"astfe-attach-profile", "::mlir::ModuleOp"> {
  let summary = "Tells the compiler where a tensor's work lies";
  let description = [{
    Reads a profile from a JSON file, or counts one from a matrix (.mtx) or
    tensor (.tns) file, and attaches it: as `known` to the `astfe.profile` ops,
    and as `astfe.profile` to the function arguments of sparse type, from which
    `astfe-partition` takes it. `arg` names one argument; then only it and the
    profile ops on it are touched. A profile that does not fit is an error: one of
    other extents, and at a profile op or in `astfe-partition` one along another
    order than it asks for. A profile brings its own numbering of rows and columns.

    Example (test/Transforms/attach-profile/doctest.mlir), with
    `matrix=small.mtx order=rows min=2`:

    ```mlir
    func.func @spmv(%A: tensor<?x?xf32, #CSR>)
    // becomes
    func.func @spmv(%A: tensor<?x?xf32, #CSR> {astfe.profile = #astfe.profile<...>})
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "", "A profile file (JSON)">,
    Option<"matrix", "matrix", "std::string", "",
           "A matrix or tensor file (.mtx, .tns) to count">,
    ShownOption<"arg", "arg", "int64_t", "-1",
                "The argument to attach to; -1: every sparse one">,
    ShownOption<"order", "order", "std::string", "\"rows\"",
                "Order to count along: rows, morton, hilbert or panels">,
    ShownOption<"panel", "panel", "int64_t", "10",
                "log2 of the rows in a panel (order=panels)">,
    ShownOption<"reorder", "reorder", "std::string", "\"none\"",
                "Renumber first: none, labels or rcm">,
    ShownOption<"hubs", "hubs", "std::string", "\"none\"",
                "Rows and columns to set apart: none, auto or at most N each">,
    ShownOption<"min", "min", "int64_t", "256",
                "Bins with fewer nonzeros are not split when counting">,
  ];
  let statistics = [
    Statistic<"numAttached", "attached", "Arguments and profile ops that got one">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def PartitionPass : Pass<"astfe-partition"> {
  let summary = "Regroups viewed patterns by a partition graph";
  let description = [{
    Puts `astfe.profile` and `astfe.partition` before each `astfe.pack` of a
    view and packs by the graph, with all classes permitted and columns of 32
    bits (`astfe-select-kernels` narrows that). Where the profile is known (the
    argument has `astfe.profile`) the graph is computed now: a constant
    `astfe.graph` with the profile's concrete extents, which keeps the profile in
    `astfe.profile` for the passes that follow. Partition, refine and fuse ops
    whose profile has become `known` are computed too.

    `storage=view` keeps views; that only goes with `order=rows` and without
    `reorder` and `hubs`, which renumber rows and columns (Core/Reorder/Reorder.h,
    Core/Reorder/Hubs.h): the graph carries the numbers, operands keep theirs.

    With `expected-runs` a pattern is packed only if (predicted gain per run) x
    (expected runs) exceeds the cost of profile, graph and tables, by the model of
    Core/Cost/Cost.h with its fixed numbers; the remark `repartition` prints both
    times, the set-up and the number of runs that pays it back, or `never`. Where
    no profile is known the model takes 16 nonzeros in every row, in any column,
    and the remark says `pattern=nominal`. Runs in a loop count as many times as its
    known bounds say (`trips`), where the tensor comes from outside of it:
    `astfe-hoist-inspector` takes the pattern out of the loop. Views that are kept say so where
    their argument has a profile, which they have no use for.

    Example (test/Transforms/partition/doctest.mlir), with
    `order=hilbert min=16 leaf=64`:

    ```mlir
    %P = astfe.pack %A : tensor<?x?xf32, #CSR>
           -> !astfe.blocked<?x?, #astfe.layout<view>>
    // becomes
    %h = astfe.profile of %A order = "hilbert" min = 16
           : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
    %g = astfe.partition %h leaf = 64
           : !astfe.profile<?x?> -> !astfe.graph<?x?>
    %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
           -> !astfe.blocked<?x?, #astfe.layout<packed, columns = 32,
                classes = [row_segments, scattered, dense_tile]>>
    ```
  }];
  let statistics = [
    Statistic<"numPartitioned", "partitioned", "Patterns that are packed by a graph">,
    Statistic<"numKept", "kept", "Patterns that stay views">,
  ];
  let options = [
    ShownOption<"order", "order", "std::string", "\"rows\"",
                "rows, morton, hilbert or panels">,
    ShownOption<"storage", "storage", "std::string", "\"packed\"",
                "packed, or view to keep views">,
    ShownOption<"leaf", "leaf", "int64_t", "0",
                "Mean nonzeros of a block; 0: from workers">,
    ShownOption<"min", "min", "int64_t", "256",
                "Bins of the profile with fewer nonzeros are not split">,
    ShownOption<"panel", "panel", "int64_t", "10",
                "log2 of the rows in a panel (order=panels)">,
    ShownOption<"reorder", "reorder", "std::string", "\"none\"",
                "Renumber first: none, labels or rcm">,
    ShownOption<"hubs", "hubs", "std::string", "\"none\"",
                "Rows and columns to set apart: none, auto or at most N each">,
    ShownOption<"workers", "workers", "int64_t", "64",
                "Workers that leaf=0 provides for">,
    ShownOption<"columns", "columns", "int64_t", "64",
                "Columns of dense operands where the type does not say, for the cost "
                "model">,
    ShownOption<"expectedRuns", "expected-runs", "int64_t", "0",
                "Pack only what pays within so many runs; 0: pack all">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def RefinePass : Pass<"astfe-refine"> {
  let summary = "Splits the blocks that do most work";
  let description = [{
    Adds a refinement to the graph of each packed pattern: `astfe.refine` after
    the op that makes the graph, or, where the graph is constant and keeps its
    profile, the refined constant. docs/Algorithms/RefineAndFuse.md has the rule.

    Example (test/Transforms/refine/doctest.mlir), with `threshold=0.66 min=16`:

    ```mlir
    %P = astfe.pack %A by %g : ...
    // becomes
    %g1 = astfe.refine %g by %h threshold = 6.6e-01 min = 16 : ...
    %P = astfe.pack %A by %g1 : ...
    ```
  }];
  let statistics = [
    Statistic<"numAdded", "refined", "Graphs that were refined">,
  ];
  let options = [
    ShownOption<"threshold", "threshold", "std::string", "\"auto\"",
                "tau, above 0.5 and below 1, or auto">,
    ShownOption<"workers", "workers", "int64_t", "64", "Workers to provide for">,
    ShownOption<"waves", "waves", "int64_t", "4", "Shares per worker">,
    ShownOption<"min", "min", "int64_t", "256",
                "Blocks with fewer than twice as many nonzeros stay whole">,
    ShownOption<"steps", "steps", "int64_t", "-1",
                "Steps to take; -1: until nothing changes">,
    ShownOption<"onlyNew", "only-new", "bool", "false",
                "Leave graphs that are already refined or fused, as pipelines do">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def FusePass : Pass<"astfe-fuse"> {
  let summary = "Merges and groups the blocks that do little work";
  let description = [{
    Adds a fusion to the graph of each packed pattern: `astfe.fuse` after the op
    that makes the graph, or, where the graph is constant and keeps its profile,
    the fused constant. The footprint of a group is computed for the dense
    operand of the computation: its columns and the bytes of its elements are
    read from the types, and `columns` assumed where the type has `?`.

    Example (test/Transforms/fuse/doctest.mlir), with `cache=65536`:

    ```mlir
    %P = astfe.pack %A by %g : ...
    // becomes
    %g1 = astfe.fuse %g by %h cache = 65536 columns = 64 : ...
    %P = astfe.pack %A by %g1 : ...
    ```
  }];
  let statistics = [
    Statistic<"numAdded", "fused", "Graphs that were fused">,
  ];
  let options = [
    ShownOption<"threshold", "threshold", "std::string", "\"auto\"",
                "tau for graphs that are not refined, or auto">,
    ShownOption<"workers", "workers", "int64_t", "64", "Workers to provide for">,
    ShownOption<"waves", "waves", "int64_t", "4", "Shares per worker">,
    ShownOption<"cache", "cache", "int64_t", "1048576",
                "Bytes that a group may touch">,
    ShownOption<"columns", "columns", "int64_t", "64",
                "Columns of the dense operand where the type has `?`">,
    ShownOption<"onlyNew", "only-new", "bool", "false",
                "Leave graphs that are already fused, as pipelines do">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def SelectKernelsPass : Pass<"astfe-select-kernels", "::mlir::ModuleOp"> {
  let summary = "Chooses layouts and what kernels are compiled for";
  let description = [{
    Decides what `astfe.pack` may produce and which classes of blocks kernels have
    code for (include/ASTFE/Core/Kernel/Classes.def), and writes both: the layout
    into the type of the pattern, the classes and the column tile into `kernel` of
    each `astfe.compute`. A pattern that leaves the function (a return, a call, a
    loop) keeps its type.

    - Target: `chip` (sm_80, ...), else the `#nvvm.target` of a gpu.module, else
      a "GPU" device of the module's `dlti.target_system_spec`, else the host.
    - Columns are stored in the fewest bits, 8, 16 or 32, that number the columns
      of the tensor (`width`, where the type has `?`), or of the widest group of
      a constant graph; 32 where neither is known. A wrong `width` costs speed
      alone: groups are cut at windows that the bits can number.
    - `dense_tile` is permitted unless every block of a constant graph is less
      than a quarter full. `row_segments` and `scattered` always are. On the host,
      `row_slices` are where every computation over the pattern is without dense
      columns, `row_tiles` where each has them, and `row_windows` where
      a row of each has 128 bytes or more. A view has `row_segments` alone.
    - The layout says the target, as pack cuts for its workers. On the host it
      says the columns of windows (192 where rows of the dense operands have
      exactly 128 bytes) and, where the number of dense columns is known and
      they have more than 512 bytes, how many; on a GPU the widest column tile
      of the computations over the pattern, from which the cost of a row follows.
    - `classes` says what patterns are known to hold, where the program packs
      before it compiles: nothing else is permitted or compiled in. A `kernel`
      that lists fewer classes than its layout permits goes on doing so.
    - The column tile is that of the dense operand: 128, 64 or 32 on a GPU (64 or
      32 for f64), the largest that the columns fill and that lanes take in whole
      vectors; on the host 16, 32, 64 or
      128, the smallest that holds them; without dense columns 0: lanes over
      nonzeros. Where the type has `?`, `columns` says what to expect.

    Afterwards neither constant graphs nor arguments keep their profiles.

    Example (test/Transforms/select-kernels/doctest.mlir), with `chip=sm_90`:

    ```mlir
    %r = astfe.compute over %P : !astfe.blocked<4096x4096, #astfe.layout<packed,
             columns = 32, classes = [row_segments, scattered, dense_tile]>> ...
    // becomes
    %r = astfe.compute over %P : !astfe.blocked<4096x4096, #astfe.layout<packed,
             columns = 16, classes = [row_segments, scattered, dense_tile],
             target = gpu>> ...
           kernel <[row_segments, scattered, dense_tile], column_tile = 128> ...
    ```
  }];
  let statistics = [
    Statistic<"numDerived", "derived", "Computations that got a kernel">,
  ];
  let options = [
    Option<"chip", "chip", "std::string", "",
           "The GPU to compile for, e.g. sm_90; empty: from the module, or host">,
    ShownOption<"columns", "columns", "int64_t", "64",
                "Columns of the dense operand where the type has `?`">,
    ShownOption<"width", "width", "int64_t", "0",
                "Columns of the sparse tensor where the type has `?`; 0: not known">,
    ShownOption<"deterministic", "deterministic", "bool", "false",
                "The same bits for the same graph and workers">,
    ShownOption<"assumeFinite", "assume-finite", "bool", "false",
                "Dense operands hold no Inf or NaN: tiles may be zero-filled">,
    ListOption<"classes", "classes", "std::string",
               "The classes that packed patterns hold; none: not known">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect"];
}

def MergeInspectorsPass : Pass<"astfe-merge-inspectors"> {
  let summary = "Computes equal profiles, graphs and packs once";
  let description = [{
    Of two equal profiles, graphs, packs or values the later one is replaced by
    the one that dominates it, and what nobody reads is erased. Upstream's `cse`
    does that for every op, which is wrong before bufferization: two empty
    tensors, or two conversions of one tensor, may be written in place later on.
    This pass touches our ops alone.

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

def HoistInspectorPass : Pass<"astfe-hoist-inspector"> {
  let summary = "Moves partitioning and packing out of loops";
  let description = [{
    Profiles, graphs, packs and values that no trip of a loop changes are
    computed once, before it. Nothing else moves, unlike with
    `loop-invariant-code-motion`: an output that each trip initialises afresh
    must stay in the loop, as computations work in place.

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
    `@f_run`.

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

def FuseComputesPass : Pass<"astfe-fuse-computes"> {
  let summary = "Makes chains of computations over one pattern astfe.fused";
  let description = [{
    From each computation, the last of a block first, collects the computations
    over the same pattern that make what it reads, and what those read, as far as
    rules F1 to F7 of `astfe.fused` allow, then the elementwise ops that read its
    result alone, as epilogues. Values that are unpacked and read in the same
    pattern again count as the same. Two or more become one `astfe.fused`, in the
    place of the last. What others read too becomes a result, unless they run
    in between.

    A chain saves the memory traffic of what its members hand to each other,
    which a remark states in bytes for each nonzero and each key. What a row of
    dense extents would take more than `cache` bytes for stays outside. For each
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
    `keep=host`, chains that have one on the host stay (`Analysis/FusedPlan.h`).

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
                "Chains that stay: none, or host: those with a kernel there">,
  ];
  let dependentDialects = ["::astfe::ASTFEDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrintGraphPass : Pass<"astfe-print-graph", "::mlir::ModuleOp"> {
  let summary = "Shows constant graphs as a table, DOT, JSON, SVG or MLIR";
  let description = [{
    Writes each constant `astfe.graph` of the module, in program order, to
    standard output or to a file (then there must be exactly one), and leaves the
    module as it is. `table` has one line per block, `dot` one node per block and
    one cluster per group, `json` is the graph file, `svg` draws the boxes of a
    matrix, coloured by group and shaded by density, with the curve through them
    and a legend below, `mlir` is the op itself, with `edges` written into it: what
    the verifier checks when such an op is read. A module without a constant graph
    gets a warning.

    The bytes of an edge are those of rows of the dense operand that both blocks
    touch: of the widest computation over the pattern, whose columns are `columns`
    where its type has `?`; of one column of 32-bit elements where no computation
    reads it.

    Example (test/Transforms/print-graph/doctest.mlir), with
    `format=table boxes`:

    ```
    graph hilbert 8x8: 4 blocks in 3 groups, 12 nonzeros
     block  group  prefix  nonzeros  box
         0      0  00             8  [0, 4) x [0, 4)
         1      1  01             1  [0, 4) x [4, 8)
         2      2  10             2  [4, 8) x [4, 8)
         3      2  11             1  [4, 8) x [0, 4)
    ```
  }];
  let options = [
    ShownOption<"format", "format", "std::string", "\"table\"",
                "table, dot, json, svg or mlir">,
    Option<"output", "output", "std::string", "",
           "File to write; empty: standard output">,
    ShownOption<"boxes", "boxes", "bool", "false",
                "table, dot: the box of each block">,
    ShownOption<"intensities", "intensities", "bool", "false",
                "table, dot: C of each block and C / (C + M), from the kept profile">,
    ShownOption<"edges", "edges", "bool", "false",
                "table, dot, json: face neighbours with the bytes that both blocks "
                "touch; svg: lines; mlir: with the rows">,
    ShownOption<"columns", "columns", "int64_t", "64",
                "Columns of the dense operand where the type has `?`, for edges">,
  ];
  let statistics = [
    Statistic<"numPrinted", "printed", "Graphs that were shown">,
  ];
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
    `sparse-assembler` refuses. docs/Pipelines.md has the C signature. Calls
    in the module are inlined; where they cannot be (a function of more than one
    block) they go on calling on tensors: a private copy, `_internal_<name>`.

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
  let statistics = [
    Statistic<"numExposed", "exposed", "Functions with an entry on buffers">,
  ];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::sparse_tensor::SparseTensorDialect"
  ];
}

def ForwardBuffersPass : Pass<"astfe-forward-buffers", "::mlir::ModuleOp"> {
  let summary = "Reads the parts of exposed tensors from where they are";
  let description = [{
    `astfe-expose-buffers` assembles each sparse argument from buffers and sizes.
    Where only these parts are asked for again, as our loops do, the tensor goes
    away, and with it every need for upstream's sparse code generation.

    Example (test/Transforms/forward-buffers/doctest.mlir):

    ```mlir
    %A = builtin.unrealized_conversion_cast %positions, %coordinates, %values, %s
           : ... to tensor<?x?xf32, #CSR>
    %p = sparse_tensor.positions %A {level = 1 : index} : ... to memref<?xi32>
    use %p
    // becomes
    use %positions
    ```
  }];
  let statistics = [
    Statistic<"numForwarded", "forwarded", "Parts that are read where they are">,
  ];
}

def DropBarriersPass : Pass<"astfe-drop-barriers", "::mlir::ModuleOp"> {
  let summary = "One barrier at the end of a parallel loop instead of two";
  let description = [{
    `convert-scf-to-openmp` puts each parallel loop into a region of its own.
    Threads would wait for each other at the end of the loop and again at the end
    of the region; on products of a few microseconds that can be seen. The first
    of the two goes away.

    Example (test/Transforms/drop-barriers/doctest.mlir):

    ```mlir
    omp.parallel { omp.wsloop { ... } omp.terminator }
    // becomes
    omp.parallel { omp.wsloop nowait { ... } omp.terminator }
    ```
  }];
  let statistics = [
    Statistic<"numDropped", "dropped", "Barriers that went away">,
  ];
}

def CheckElementsPass : Pass<"astfe-check-elements", "::mlir::ModuleOp"> {
  let summary = "Refuses sparse elements that upstream's library has not";
  let description = [{
    Upstream's lowering to its runtime library crashes on sparse tensors of other
    elements than f64, f32, f16, bf16, i64, i32, i16, i8, complex<f64> and
    complex<f32>. This pass makes that an error; the module stays as it is.
    `--astfe-sparsifier` runs it unless `enable-runtime-library=false`, which
    takes all elements.

    Example (test/Transforms/check-elements/doctest.mlir):

    ```mlir
    func.func @f(%A: tensor<8x8xi1, #CSR>)
    // error: 'func.func' op expected sparse elements of f64, f32, f16, bf16, i64,
    //   i32, i16, i8 or complex floats, which upstream's runtime library has, but
    //   got 'i1'; enable-runtime-library=false takes all
    ```
  }];
  let statistics = [
    Statistic<"numChecked", "checked", "Sparse values that the library takes">,
  ];
}

def ExpectKernelsPass : Pass<"astfe-expect-kernels", "::mlir::ModuleOp"> {
  let summary = "Refuses programs that no kernel is made of";
  let description = [{
    Fails where a module has neither an `astfe.compute`, of which a kernel will be
    made, nor a `gpu.module` or `gpu.binary`: with an error at each op on a sparse
    tensor that says why it was left, or one at the module where there is none.
    `--astfe-to-ptx` runs it after it has raised, and so does `astfe-run` for a
    GPU: the host would compute everything there, and nobody would know.

    Example (test/Transforms/expect-kernels/doctest.mlir):

    ```mlir
    %r = linalg.generic ... ins(%A : tensor<?x?xf32, #CSR>) { arith.maximumf }
    // error: 'linalg.generic' op expected a computation that a kernel is made of,
    //   but it is left to the host: ...
    ```
  }];
}

#endif // ASTFE_TRANSFORMS_PASSES_TD
