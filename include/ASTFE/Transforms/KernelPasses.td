//===- KernelPasses.td - what kernels are made for ---------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_KERNELPASSES_TD
#define ASTFE_TRANSFORMS_KERNELPASSES_TD

include "ASTFE/Analysis/PassOption.td"

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
      than a quarter full. `row_segments` always are, and so are `scattered`, but on
      a host where the number of dense columns is known and they have more than 128
      bytes: what is added to a row is read for that. On the host,
      `row_slices` are where every computation over the pattern is without dense
      columns, `row_tiles` where each has them, and `row_windows` where
      a row of each has 128 bytes or more. A view has `row_segments` alone.
    - The layout says the target, as pack cuts for its workers. On the host it
      says the columns of windows (192 where rows of the dense operands have
      exactly 128 bytes) and, where the number of dense columns is known and
      they have more than 512 bytes, how many, or that they have at most 128; on a
      GPU the widest column tile of the computations over the pattern, from which
      the cost of a row follows.
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

def ChooseStoragePass : Pass<"astfe-choose-storage"> {
  let summary = "Leaves it to the run time whether a matrix is packed";
  let description = [{
    Packed storage gains by what it finds in a matrix: rows that share columns,
    long rows, runs of empty ones. Where it finds rows only, a matrix is as fast
    where it is stored, or faster (Core/Plan/HostStorage.h), which C, Python and
    `astfe-run spmm` go by. This pass lets compiled programs do the same: it
    marks packed CSR matrices of a host `unless_stored` that are read by products
    with dense columns into rows, and by sums of what rows store, only, and puts
    the same over a view beside each of these, of which the runtime's answer takes
    one. It runs behind `astfe-select-kernels`, and in front of
    `astfe-hoist-inspector`. With
    `split-values` a matrix that is stored has the values that the caller's has in
    `@f_run`, one that is packed those that it had in `@f_prepare`.

    Example (test/Transforms/choose-storage/doctest.mlir):

    ```mlir
    %P = astfe.pack %A by %g : ...
    %v = astfe.values %A in %P : ...
    %r = astfe.compute over %P ins(%v, %B) ...
    // becomes
    %P = astfe.pack %A by %g unless_stored = <columns = 32, element_bytes = 4>
    %v = astfe.values %A in %P : ...
    %s = astfe.is_stored %P
    %r = scf.if %s {
      %V = astfe.pack %A : ...
      %w = astfe.values %A in %V : ...
      %1 = astfe.compute over %V ins(%w, %B) ...
      scf.yield %1
    } else {
      %1 = astfe.compute over %P ins(%v, %B) ...
      scf.yield %1
    }
    ```
  }];
  let statistics = [
    Statistic<"numLeft", "left", "Packs that the run time decides on">,
  ];
  let options = [
    ShownOption<"columns", "columns", "int64_t", "64",
                "Columns of the dense operand where the type has `?`">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

#endif // ASTFE_TRANSFORMS_KERNELPASSES_TD
