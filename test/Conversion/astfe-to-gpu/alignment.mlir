// RUN: astfe-opt %s --convert-astfe-to-gpu=device-operands | FileCheck %s

// Vectors are loaded from every operand that has columns, a dense row too, and
// stored to the output: those in the device's memory may begin between vectors.

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#k = affine_map<(n, i, j, k) -> (k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>

// CHECK-LABEL: func.func @scaled_columns
// CHECK:         scf.if
// CHECK:         arith.remui
// CHECK:         memref.extract_aligned_pointer_as_index %{{.*}} : memref<?x?xf32>
// CHECK:         memref.extract_aligned_pointer_as_index %{{.*}} : memref<?xf32>
// CHECK:         memref.extract_aligned_pointer_as_index %{{.*}} : memref<?x?xf32>
// CHECK:         gpu.launch_func @scaled_columns_kernels::@tile128
func.func @scaled_columns(%P: !astfe.blocked<?x?, #L>, %v: memref<?xf32>,
                          %B: memref<?x?xf32>, %d: memref<?xf32>,
                          %C: memref<?x?xf32>) {
  astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #k, #ik]
      ins(%v, %B, %d : memref<?xf32>, memref<?x?xf32>, memref<?xf32>)
      outs(%C : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %s : f32
    astfe.yield "addf" %q : f32
  }
  return
}

#L3 = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n3 = affine_map<(n, i, j, l, k) -> (n)>
#j3 = affine_map<(n, i, j, l, k) -> (j, k)>
#k3 = affine_map<(n, i, j, l, k) -> (k)>
#i3 = affine_map<(n, i, j, l, k) -> (i, k)>

// The last kernel suits all.
// CHECK-LABEL: func.func @tensor
// CHECK:         arith.remui
// CHECK:         memref.extract_aligned_pointer_as_index %{{.*}} : memref<?x?xf32>
// CHECK:         memref.extract_aligned_pointer_as_index %{{.*}} : memref<?x?xf32>
// CHECK:         memref.extract_aligned_pointer_as_index %{{.*}} : memref<?xf32>
// CHECK:         scf.if
// CHECK:           gpu.launch_func @tensor_kernels::@bricks16_tile32_by4
// CHECK:         } else {
// CHECK:           gpu.launch_func @tensor_kernels::@bricks16_tile32 blocks
func.func @tensor(%P: !astfe.blocked<?x?x?, #L3>, %v: memref<?xf32>,
                  %B: memref<?x?xf32>, %d: memref<?xf32>, %C: memref<?x?xf32>) {
  astfe.compute over %P : !astfe.blocked<?x?x?, #L3> maps [#n3, #j3, #k3, #i3]
      ins(%v, %B, %d : memref<?xf32>, memref<?x?xf32>, memref<?xf32>)
      outs(%C : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %s : f32
    astfe.yield "addf" %q : f32
  }
  return
}
