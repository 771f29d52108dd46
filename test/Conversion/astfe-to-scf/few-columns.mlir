// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Few columns take vectors of their number: no mask. An odd number takes the
// next power of two, under a mask.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @four(
// CHECK-NOT:     vector.create_mask
// CHECK:         vector.load %{{.*}} : memref<?x4xf32>, vector<4xf32>
// CHECK:         vector.store %{{.*}} : memref<?x4xf32>, vector<4xf32>
// CHECK-NOT:     vector.maskedstore
// CHECK:         return
func.func @four(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x4xf32>,
                %C: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x4xf32>)
      outs(%C : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @three(
// CHECK:         vector.maskedload %{{.*}} : memref<?x3xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         vector.maskedstore %{{.*}} : memref<?x3xf32>, vector<4xi1>, vector<4xf32>
func.func @three(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x3xf32>,
                 %C: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x3xf32>)
      outs(%C : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
