// REQUIRES: ptxas
// RUN: %python %astfe_source/benchmarks/gpu/ptxas_table.py --most-registers=64 | FileCheck %s

// Every kernel for every class, layout, tile and type, sm_80 and sm_90: no
// spills, no stack, no local memory, at most 64 registers, which lets eight
// blocks share a multiprocessor.

// CHECK: chip   class
// CHECK: sm_80  row_segments  {{ *}}f32
// CHECK: sm_90  view {{ *}}f64 {{ *}}32  one_column
// CHECK: kernels
