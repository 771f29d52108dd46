// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// A row is added to the output or to a private row: one piece of code for both,
// so strides in which they differ are known at run time only.

#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @wider(
// CHECK-DAG:     memref.cast %{{.*}} : memref<?x4xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK-DAG:     memref.cast %{{.*}} : memref<8x4xf32, strided<[16, 1], offset: 4>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK:         arith.select %{{.*}} : memref<?x4xf32, strided<[?, 1], offset: ?>>
func.func @wider(%A: tensor<8x?xf32, #CSR>, %P: !astfe.blocked<8x?, #L>,
                 %v: memref<?xf32>, %B: memref<?x4xf32>,
                 %C: memref<8x4xf32, strided<[16, 1], offset: 4>>) {
  astfe.compute over %P : !astfe.blocked<8x?, #L> maps [#n, #jk, #ik]
      ins(%v, %B : memref<?xf32>, memref<?x4xf32>)
      outs(%C : memref<8x4xf32, strided<[16, 1], offset: 4>>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  }
  return
}

// -----

// Private rows are where the output is.

#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @elsewhere(
// CHECK:         memref.memory_space_cast %{{.*}} : memref<?x4xf32> to memref<?x4xf32, 3>
// CHECK:         arith.select %{{.*}} : memref<?x4xf32, 3>
func.func @elsewhere(%P: !astfe.blocked<8x?, #L>, %v: memref<?xf32>,
                     %B: memref<?x4xf32>, %C: memref<8x4xf32, 3>) {
  astfe.compute over %P : !astfe.blocked<8x?, #L> maps [#n, #jk, #ik]
      ins(%v, %B : memref<?xf32>, memref<?x4xf32>)
      outs(%C : memref<8x4xf32, 3>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  }
  return
}

// -----

// So are gaps of it that are cleared.

#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @gaps_elsewhere(
// CHECK:         vector.maskedstore {{.*}} : memref<{{8|\?}}xf32, {{.*}}3>
func.func @gaps_elsewhere(%P: !astfe.blocked<8x?, #L>, %v: memref<?xf32>,
                          %b: memref<?xf32>, %c: memref<8xf32, 3>) {
  astfe.compute over %P : !astfe.blocked<8x?, #L> maps [#n, #j, #i]
      ins(%v, %b : memref<?xf32>, memref<?xf32>)
      outs(%c : memref<8xf32, 3>) overwrite {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  }
  return
}
