// REQUIRES: ptxas, nvcc, nvdisasm
// RUN: %python %astfe_source/benchmarks/gpu/inner_loops.py --chip=sm_90 --at-most=1.05 | FileCheck %s

// Inner loops in machine code are at most 1.05 times as long as those of CUDA
// C++ kernels by nvcc -O3. MTTKRP's are those of examples/mttkrp.mlir.

// CHECK: sm_90  row_segments_f32_tile128
// CHECK: sm_90  samples_f32_samples128
// CHECK: sm_90  mttkrp_f32_bricks16_tile32_by4
// CHECK: sm_90  row_segments_f32_tile8
// CHECK: sm_90  view_f32_tile8_rows
// CHECK: sm_90  scattered_f64_one_column
// CHECK: geometric mean
