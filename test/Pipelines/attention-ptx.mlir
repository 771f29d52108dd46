// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py add scale=0.125 dim=? > %t.add.mlir
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-ptx=chip=sm_90 --remarks-filter='(astfe-.*fuse-.*|convert-astfe-to-gpu)' -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx --implicit-check-not=atom. --implicit-check-not=red.global --implicit-check-not=.local
// RUN: FileCheck %s --check-prefix=EX2 --input-file=%t.ptx
// RUN: astfe-opt %t.add.mlir --astfe-to-ptx=chip=sm_90 --remarks-filter='(astfe-.*fuse-.*|convert-astfe-to-gpu)' -o %t.tiles.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TILES --input-file=%t.tiles.ptx
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-ptx="chip=sm_90 fuse=false" -o %t.apart.ptx
// RUN: FileCheck %s --check-prefix=APART --input-file=%t.apart.ptx
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-ptx="chip=sm_90 device-operands=true" -o - | FileCheck %s --check-prefix=DEVICE
// RUN: astfe-opt %S/../../examples/attention.mlir --astfe-to-ptx="chip=sm_90 device-operands=true long-rows=true" -o - | FileCheck %s --check-prefix=LONG

// Sparse attention over a view is one kernel, which takes a row's nonzeros once:
// maxima are those so far, exponentials come from ex2, the only stores are rows
// of O, which O is read for once, and there are no atomics. Where rows are cut
// another kernel runs, which stores partial results too, and one that combines
// them.

// CHECK:     [Passed] fused | Category:astfe-fuse-computes
// CHECK-NOT: unfused
// CHECK:     [Passed] fused | Category:convert-astfe-to-gpu | Function=attention | sweeps=1

// PTX:     .visible .entry chain(
// PTX-NOT: {{\.entry|st\.global}}
// PTX:     st.global.v2
// PTX-NOT: {{\.entry|st\.global}}
// PTX:     .visible .entry chain_cut(
// PTX-NOT: .entry
// PTX:     .visible .entry combine_chain(
// PTX-NOT: {{\.entry|st\.global}}
// PTX:     st.global.v2
// PTX-NOT: {{\.entry|st\.global}}

// The host cannot look for long rows in the device's memory.
// Operands there may begin between vectors.
// DEVICE:     gpu.launch_func @attention_kernels::@chain blocks
// DEVICE:     gpu.launch_func @attention_kernels::@chain_by1 blocks
// DEVICE-NOT: gpu.launch_func
// LONG:     gpu.launch_func @attention_kernels::@chain_cut blocks
// LONG:     gpu.launch_func @attention_kernels::@combine_chain blocks
// LONG:     gpu.launch_func @attention_kernels::@chain_cut_by1 blocks
// LONG:     gpu.launch_func @attention_kernels::@combine_chain_by1 blocks
// LONG-NOT: gpu.launch_func

// EX2:         .visible .entry chain(
// EX2-COUNT-2: ex2.approx.f32
// EX2-NOT:     ex2
// EX2:         .visible .entry chain_cut(

// Columns of unknown number are taken 256 at a time, a column of each 32 a lane.
// TILES:         .visible .entry chain(
// TILES-COUNT-8: st.global.b32
// TILES-NOT:     {{st\.global|\.entry}}
// TILES:         .visible .entry chain_cut(

// APART-COUNT-5: .visible .entry
