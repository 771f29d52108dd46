// DEFINE: %{pipeline}=
// DEFINE: %{option}=
// DEFINE: %{run}=not astfe-opt %s --pass-pipeline='builtin.module(%{pipeline})' 2>&1 | FileCheck %s -DOPTION=%{option} --implicit-check-not='module {'

// An option that is given twice is an error, where MLIR takes the last one, of
// every pass that has options, and of pipelines.

// REDEFINE: %{pipeline}=astfe-to-ptx{chip=sm_80 host=true chip=sm_90}
// REDEFINE: %{option}=chip
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-to-cpu{storage=packed fma=true fma=true}
// REDEFINE: %{option}=fma
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-sparsifier{vl=8 vl=16}
// REDEFINE: %{option}=vl
// RUN: %{run}
// REDEFINE: %{pipeline}=func.func(convert-linalg-to-astfe{target=gpu target=host})
// REDEFINE: %{option}=target
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-attach-profile{matrix=a.mtx matrix=b.mtx}
// REDEFINE: %{option}=matrix
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-partition{columns=1 order=rows columns=2 columns=2}
// REDEFINE: %{option}=columns
// RUN: not astfe-opt %s --pass-pipeline='builtin.module(%{pipeline})' 2>&1 | FileCheck %s --check-prefix=THRICE
// REDEFINE: %{pipeline}=astfe-refine{steps=1 steps=1}
// REDEFINE: %{option}=steps
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-fuse{cache=1 cache=2}
// REDEFINE: %{option}=cache
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-print-graph{format=svg format=dot}
// REDEFINE: %{option}=format
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-fuse-computes{cache=1 cache=2}
// REDEFINE: %{option}=cache
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-unfuse-computes{keep=host keep=host}
// REDEFINE: %{option}=keep
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-select-kernels{chip=sm_80 chip=sm_90}
// REDEFINE: %{option}=chip
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-split-inspector{with-values=true with-values=false}
// REDEFINE: %{option}=with-values
// RUN: %{run}
// REDEFINE: %{pipeline}=convert-astfe-to-gpu{column-tile=32 column-tile=64}
// REDEFINE: %{option}=column-tile
// RUN: %{run}
// REDEFINE: %{pipeline}=gpu.module(lower-astfe-gpu-to-nvvm{index-bits=32 index-bits=64})
// REDEFINE: %{option}=index-bits
// RUN: %{run}
// REDEFINE: %{pipeline}=convert-astfe-to-scf{fma=true fma=false}
// REDEFINE: %{option}=fma
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-tile-dense{vector-bytes=16 vector-bytes=32}
// REDEFINE: %{option}=vector-bytes
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-serialize-kernels{format=isa format=llvm}
// REDEFINE: %{option}=format
// RUN: %{run}
// REDEFINE: %{pipeline}=astfe-emit-kernels{directory=%t.a directory=%t.b}
// REDEFINE: %{option}=directory
// RUN: %{run}

// Flags say the same.
// RUN: not astfe-opt %s --astfe-to-ptx="chip=sm_80 chip=sm_90" 2>&1 | FileCheck %s -DOPTION=chip --implicit-check-not='module {'
// RUN: not astfe-opt %s --astfe-fuse="cache=1 cache=2" 2>&1 | FileCheck %s -DOPTION=cache --implicit-check-not='module {'

// Lists may come in parts; passes of one pipeline have options of their own.
// RUN: astfe-opt %s --astfe-to-cpu="classes=row_segments classes=row_tiles,row_windows"
// RUN: astfe-opt %s --pass-pipeline='builtin.module(astfe-select-kernels{classes=row_segments classes=row_tiles})'
// RUN: astfe-opt %s --pass-pipeline='builtin.module(astfe-fuse{cache=1},astfe-fuse{cache=2})'

// CHECK:  error: expected option '[[OPTION]]' once but got it 2 times
// THRICE: error: expected option 'columns' once but got it 3 times

module {
}
