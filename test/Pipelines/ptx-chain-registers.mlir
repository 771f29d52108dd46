// REQUIRES: ptxas
// RUN: %python %astfe_source/benchmarks/gpu/chains.py --chain=forward --type=f32 --mask=add --dim=64 --dim=128 --dim=256 --most-registers=80 | FileCheck %s
// RUN: %python %astfe_source/benchmarks/gpu/chains.py --mask=multiply --dim=64 --most-registers=96 | FileCheck %s --check-prefix=ALL
// RUN: %python %astfe_source/benchmarks/gpu/chains.py --chip=sm_80 --chain=forward --type=bf16 --mask=multiply --dim=64 --most-registers=80 | FileCheck %s --check-prefix=HALF

// Sparse attention as one kernel: no spills, no stack, no local memory; forward
// in f32 at most 80 registers, which lets six blocks share a multiprocessor,
// gradients and f64 at most 96, which lets five; so have the kernels of several
// heads, and those for rows that are cut.

// CHECK:     sm_80  forward  chain      add   f32    64      2
// CHECK:     36 kernels
// ALL:       sm_90  columns  large_chain      multiply  f64    64      2
// ALL:       88 kernels
// HALF:      sm_80  forward  chain      multiply  bf16   64      2
// HALF:      6 kernels
