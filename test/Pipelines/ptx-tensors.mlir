// REQUIRES: ptxas-sm_90
// RUN: rm -rf %t && mkdir %t
// RUN: astfe-opt %astfe_source/examples/mttkrp.mlir --astfe-to-ptx="chip=sm_90 storage=packed" \
// RUN:   --astfe-emit-kernels=directory=%t -o /dev/null
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t/mttkrp_kernels.ptx
// RUN: ptxas -v -arch=sm_90 %t/mttkrp_kernels.ptx -o /dev/null 2>&1 | FileCheck %s

// MTTKRP from linalg to machine code: no spills, and no more than 64 registers. Rows of
// 32 columns, which the types say, are 128 bytes apart.

// PTX:     .target sm_90
// PTX:     .visible .entry bricks16_tile32_by4(
// PTX:     ld.global.nc.
// PTX:     fma.rn.f32
// PTX-NOT: atom.
// PTX:     .visible .entry bricks32_tile32_by4(
// PTX-NOT: atom.
// PTX:     mul.wide.u32 {{.*}}, 128;
// PTX-NOT: atom.

// CHECK-COUNT-2: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK:         Used {{([1-5]?[0-9]|6[0-4])}} registers
