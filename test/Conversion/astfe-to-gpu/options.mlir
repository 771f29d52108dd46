// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-gpu=column-tile=64 | FileCheck %s --check-prefix=TILE
// RUN: astfe-opt %s --convert-astfe-to-gpu=device-operands | FileCheck %s --check-prefix=DEVICE

// A deterministic layout: partials are filled, summed and combined in order, and
// no kernel has an atomic.

// CHECK-LABEL: func.func @spmm
// CHECK:         call @astfe_rt_partial_rows
// CHECK:         gpu.launch_func @spmm_kernels::@fill
// CHECK:         gpu.launch_func @spmm_kernels::@tile128
// CHECK:         gpu.launch_func @spmm_kernels::@combine
// CHECK-NOT:     memref.atomic_rmw

// TILE-NOT:      tile128
// TILE:          gpu.launch_func @spmm_kernels::@tile64

// Operands that are in device memory are not copied, but their alignment is
// known at run time only. The runtime is asked whether kernels reach them, and
// whether what is written is apart from what is read.
// DEVICE-LABEL:  func.func @spmm
// DEVICE-NOT:    gpu.memcpy
// DEVICE-COUNT-3: call @astfe_rt_reachable
// DEVICE-COUNT-2: call @astfe_rt_apart
// DEVICE:        scf.if
// DEVICE:        arith.remui
// DEVICE:        %[[B:.*]] = memref.extract_aligned_pointer_as_index {{.*}} : memref<?x?xf32>
// DEVICE:        arith.ori %{{.*}}, %[[B]] : index
// DEVICE:        %[[C:.*]] = memref.extract_aligned_pointer_as_index {{.*}} : memref<?x?xf32>
// DEVICE:        arith.ori %{{.*}}, %[[C]] : index
// Blocks of wide tiles are dealt to multiprocessors.
// DEVICE-COUNT-3: call @astfe_rt_grid
// DEVICE:        gpu.launch_func @spmm_kernels::@tile128 blocks
// DEVICE:        gpu.launch_func @spmm_kernels::@tile64_wide blocks
// DEVICE-NOT:    call @astfe_rt_grid
// DEVICE:        gpu.launch_func @spmm_kernels::@tile32 blocks
// DEVICE-NOT:    gpu.memcpy

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu, deterministic>

func.func @spmm(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
