// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// A tensor of rank 3: kernels for local coordinates of 16 and of 32 bits, in which
// a warp owns rows of the key, or a part of one that is too long, so that nothing is
// added atomically: another launch adds up the parts where there are some. The host
// asks whether the pattern fits and the extents agree, and launches nothing where a
// table is not in the device's memory.

#layout = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
!pattern = !astfe.blocked<?x?x?, #layout>
#n  = affine_map<(n, i, j, k, r) -> (n)>
#ir = affine_map<(n, i, j, k, r) -> (i, r)>
#jr = affine_map<(n, i, j, k, r) -> (j, r)>
#kr = affine_map<(n, i, j, k, r) -> (k, r)>

// CHECK-LABEL: func.func @mttkrp
// CHECK:   %[[FITS:.*]] = call @astfe_rt_bricks_fit
// CHECK:   %[[WORKERS:.*]] = call @astfe_rt_device_workers
// CHECK:   call @astfe_rt_extent
// CHECK:   func.call @astfe_rt_brick_parts(%{{.*}}, %{{.*}}, %[[WORKERS]])
// CHECK:   %[[CUT:.*]] = func.call @astfe_rt_brick_row_parts(%{{.*}}, %{{.*}}, %[[WORKERS]])
// CHECK:   %[[BITS:.*]] = func.call @astfe_rt_brick_bits
// CHECK:   call @astfe_rt_brick_device_table_i16
// CHECK:   gpu.launch_func @mttkrp_kernels::@bricks16_tile32_by4
// CHECK:   scf.if
// CHECK:     gpu.launch_func @mttkrp_kernels::@combine_parts
// CHECK:   call @astfe_rt_brick_device_table_i32
// CHECK:   gpu.launch_func @mttkrp_kernels::@bricks32_tile32_by4
// CHECK:   call @astfe_rt_report

// CHECK:   gpu.module @mttkrp_kernels
// CHECK:     gpu.func @bricks16_tile32_by4(
// CHECK-SAME:  astfe.arguments = ["brick_slot", "brick_origin", "part_row", "part_segment", "part_slot", "part_left", "part_brick", "segment_last", "coordinate:0", "coordinate:1", "coordinate:2", "values", "dense:1", "dense:2", "output", "partials", "bricks", "parts", "extent:1", "extent:2", "extent:3", "extent:4"]
// CHECK-NOT:   atomic
// CHECK:     gpu.func @bricks32_tile32_by4(
// CHECK-NOT:   atomic
// CHECK:     gpu.func @combine_parts(
// CHECK-SAME:  astfe.arguments = ["part_row", "part_left", "partials", "output", "parts", "extent:1", "extent:4"]
func.func @mttkrp(%P: !pattern, %v: memref<?xf32>, %B: memref<?x32xf32>,
                  %C: memref<?x32xf32>, %M: memref<?x32xf32>) {
  astfe.compute over %P : !pattern maps [#n, #jr, #kr, #ir]
      ins(%v, %B, %C : memref<?xf32>, memref<?x32xf32>, memref<?x32xf32>)
      outs(%M : memref<?x32xf32>) overwrite {
  ^bb0(%t: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %b : f32
    %q = arith.mulf %p, %c : f32
    astfe.yield "addf" %q : f32
  }
  return
}
