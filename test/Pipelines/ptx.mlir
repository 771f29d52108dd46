// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed" | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_80 storage=packed" | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed" | FileCheck %s --check-prefix=NOT
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90" | FileCheck %s --check-prefix=VIEW
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed deterministic=true" | FileCheck %s --check-prefix=FIXED

// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed" | FileCheck %s --check-prefix=PACK

// Pack is told "target":"gpu" and "column_tile":128.
// PACK: @astfe_layout {{.*}}dense<"0x{{.*}}22746172676574223A2267707522{{.*}}22636F6C756D6E5F74696C65223A3132387D">
// PACK: call @astfe_rt_pack

// From linalg to PTX, with no CUDA installed: 128-bit loads that bypass the
// coherent cache, fused multiply-adds, launch bounds; no local memory and no
// call of libdevice.

// CHECK-LABEL: gpu.binary @spmm_kernels
// SM90:        .target sm_90
// SM80:        .target sm_80
// CHECK:       .entry tile128(
// CHECK:       .maxntid 128, 1, 1
// CHECK:       .minnctapersm 8
// CHECK:       ld.global.nc.v4.b32
// CHECK:       fma.rn.f32
// CHECK:       atom.global.add.f32

// NOT-NOT: .local
// NOT-NOT: __nv_

// A view needs no tables and no atomics.
// VIEW:      call @astfe_rt_device_workers
// VIEW-NOT:  astfe_rt_pack
// VIEW:      gpu.binary @spmm_kernels
// VIEW:      ld.global.nc.v4.b32
// VIEW-NOT:  atom.global

// A deterministic layout has no atomics: rows that workers share are summed in
// private rows and combined by a second kernel.
// FIXED-NOT: {{atom|red}}.{{global|relaxed}}
// FIXED:     .entry combine(
// FIXED-NOT: {{atom|red}}.{{global|relaxed}}

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32
}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x128xf32>)
                     outs(%C : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}
