// RUN: astfe-opt %astfe_source/examples/mttkrp.mlir --astfe-to-ptx="storage=packed format=llvm" \
// RUN:   | FileCheck %s
// RUN: astfe-opt %astfe_source/examples/mttkrp.mlir --astfe-to-cpu=storage=packed | FileCheck %s --check-prefix=HOST

// Kernels of a GPU walk bricks by rows: the runtime is told before values are put
// in the order of a mode, and on a host it is not.

// CHECK: %[[P:.*]] = call @astfe_rt_pack_levels
// CHECK: call @astfe_rt_bricks_expect_gpu(%[[P]])
// CHECK: call @astfe_rt_brick_values_f32(%[[P]]

// HOST:     astfe_rt_pack_levels
// HOST-NOT: expect_gpu
