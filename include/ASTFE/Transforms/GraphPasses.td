//===- GraphPasses.td - profiles and partition graphs ------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_GRAPHPASSES_TD
#define ASTFE_TRANSFORMS_GRAPHPASSES_TD

include "ASTFE/Analysis/PassOption.td"

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
                "Renumber first: none, labels, rcm or twins">,
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

    A packed pattern has workers that own rows. Where a computation over a CSR or
    CSC view sums into the columns, as `C = A^T B` does, the transpose is packed:
    `sparse_tensor.reinterpret_map` names the levels of the matrix the other way
    round, and maps get rows and columns exchanged. So a program with `A x` and
    `A^T y` has two patterns. Columns that are stored one after the other (CSC) stay
    where they are if there are dense columns, as does a pattern over which one
    computation sums into the rows and another into the columns. Profiles of
    arguments say nothing of a transpose, which is profiled when the program runs.

    A view whose values the program may write through `sparse_tensor.values` stays
    a view.

    `storage=view` keeps views; that only goes with `order=rows` and without
    `reorder` and `hubs`, which renumber rows and columns (Core/Reorder/Reorder.h,
    Core/Reorder/Hubs.h): the graph carries the numbers, operands keep theirs.

    With `order=auto` or `reorder=auto` the arrangement of a matrix is left to the
    run time: the profile says in `search` which products it is chosen for, as
    C, Python and astfe-run choose it (Core/Plan/Choose.h). They are to pay
    within `expected-runs`, or, where all is packed, `search-runs`. A profile that
    is known is by rows then.

    With `expected-runs` a pattern is packed only if (predicted gain per run) x
    (expected runs) exceeds the cost of profile, graph and tables, by the model of
    Core/Cost/Cost.h with its fixed numbers; the remark `repartition` prints both
    times, the set-up and the number of runs that pays it back, or `never`. Where
    no profile is known the model takes 16 nonzeros in every row, in any column,
    and the remark says `pattern=nominal`. Views whose nonzeros add to the row that
    their coordinate names are priced as such. Runs in a loop count as many times as its
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
                "rows, morton, hilbert, panels or auto">,
    ShownOption<"storage", "storage", "std::string", "\"packed\"",
                "How patterns are held: view or packed">,
    ShownOption<"leaf", "leaf", "int64_t", "0",
                "Mean nonzeros of a block; 0: from workers">,
    ShownOption<"min", "min", "int64_t", "256",
                "Bins of the profile with fewer nonzeros are not split">,
    ShownOption<"panel", "panel", "int64_t", "10",
                "log2 of the rows in a panel (order=panels)">,
    ShownOption<"reorder", "reorder", "std::string", "\"none\"",
                "Renumber first: none, labels, rcm, twins or auto">,
    ShownOption<"hubs", "hubs", "std::string", "\"default\"",
                "Rows and columns to set apart: none, auto or at most N each; default is auto "
                "where reorder=auto, else none">,
    ShownOption<"workers", "workers", "int64_t", "64",
                "Workers that leaf=0 provides for">,
    ShownOption<"columns", "columns", "int64_t", "64",
                "Columns of dense operands where the type does not say, for the cost "
                "model">,
    ShownOption<"expectedRuns", "expected-runs", "int64_t", "0",
                "Pack only what pays within so many runs; 0: pack all">,
    ShownOption<"searchRuns", "search-runs", "int64_t", "100",
                "Runs within which the search of auto pays, where all is packed">,
    ShownOption<"wholeRows", "whole-rows", "bool", "true",
                "Rows that auto chooses on a host stay one block">,
    ShownOption<"forGPU", "for-gpu", "bool", "false",
                "Products run on a GPU, whose numbers auto compares by">,
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

#endif // ASTFE_TRANSFORMS_GRAPHPASSES_TD
