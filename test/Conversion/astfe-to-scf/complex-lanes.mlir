// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Rows of complex numbers are rows of twice as many floats, which are walked once: a
// product turns pairs round, and subtracts in even lanes.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK-LABEL: func.func @columns(
// CHECK:         scf.parallel
// CHECK:         %[[A:.*]] = memref.load %{{.*}} : memref<?xcomplex<f32>>
// CHECK:         %[[B:.*]] = vector.load %{{.*}} : memref<?x4xf32>, vector<4xf32>
// CHECK:         %[[TURNED:.*]] = vector.shuffle %[[B]], %[[B]] [1, 0, 3, 2]
// CHECK:         %[[RE:.*]] = complex.re %[[A]]
// CHECK:         %[[RES:.*]] = vector.broadcast %[[RE]] : f32 to vector<4xf32>
// CHECK:         %[[S:.*]] = arith.mulf %[[RES]], %[[B]]
// CHECK:         %[[IM:.*]] = complex.im %[[A]]
// CHECK:         %[[IMS:.*]] = vector.broadcast %[[IM]] : f32 to vector<4xf32>
// CHECK:         %[[X:.*]] = arith.mulf %[[IMS]], %[[TURNED]]
// CHECK-DAG:     %[[LESS:.*]] = arith.subf %[[S]], %[[X]]
// CHECK-DAG:     %[[MORE:.*]] = arith.addf %[[S]], %[[X]]
// CHECK:         vector.shuffle %[[LESS]], %[[MORE]] [0, 5, 2, 7]
// CHECK:         vector.store %{{.*}} : memref<?x4xf32>, vector<4xf32>
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @columns(%A: tensor<?x?xcomplex<f32>, #CSR>,
    %B: tensor<?x2xcomplex<f32>>, %C: tensor<?x2xcomplex<f32>>)
    -> tensor<?x2xcomplex<f32>> {
  %P = astfe.pack %A : tensor<?x?xcomplex<f32>, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xcomplex<f32>, #CSR>, !P -> tensor<?xcomplex<f32>>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xcomplex<f32>>, tensor<?x2xcomplex<f32>>)
      outs(%C : tensor<?x2xcomplex<f32>>) overwrite {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    astfe.yield "addf" %p : complex<f32>
  } -> tensor<?x2xcomplex<f32>>
  return %r : tensor<?x2xcomplex<f32>>
}

// -----

// Vectors are rows of one column.

#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// A row's nonzeros go by two, on two sums.

// CHECK-LABEL: func.func @vector(
// CHECK:         memref.expand_shape %{{.*}} {{\[}}[0, 1]] {{.*}} : memref<?xcomplex<f64>> into memref<?x1xcomplex<f64>>
// CHECK:         scf.for {{.*}} step %c2{{.*}} iter_args({{.*}}) -> (vector<2xf64>, vector<2xf64>) {
// CHECK-COUNT-2:   vector.load %{{.*}} : memref<?x2xf64>, vector<2xf64>
// CHECK:         vector.store %{{.*}} : memref<?x2xf64>, vector<2xf64>
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @vector(%A: tensor<?x?xcomplex<f64>, #CSR>, %x: memref<?xcomplex<f64>>,
                  %y: memref<?xcomplex<f64>>) {
  %P = astfe.pack %A : tensor<?x?xcomplex<f64>, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xcomplex<f64>, #CSR>, !P -> tensor<?xcomplex<f64>>
  %w = bufferization.to_buffer %v : tensor<?xcomplex<f64>> to memref<?xcomplex<f64>>
  astfe.compute over %P : !P maps [#n, #j, #i]
      ins(%w, %x : memref<?xcomplex<f64>>, memref<?xcomplex<f64>>)
      outs(%y : memref<?xcomplex<f64>>) {
  ^bb0(%a: complex<f64>, %b: complex<f64>):
    %p = complex.mul %a, %b : complex<f64>
    astfe.yield "addf" %p : complex<f64>
  }
  return
}

// -----

// Numbers that lie apart are loaded one at a time.

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK-LABEL: func.func @apart(
// CHECK:         scf.parallel
// CHECK:         %[[FIRST:.*]] = vector.load %{{.*}} : memref<{{.*}}xf32{{.*}}>, vector<2xf32>
// CHECK:         vector.insert_strided_slice %[[FIRST]], %{{.*}} {offsets = [0], strides = [1]} : vector<2xf32> into vector<4xf32>
// CHECK:         %[[SECOND:.*]] = vector.load %{{.*}} : memref<{{.*}}xf32{{.*}}>, vector<2xf32>
// CHECK:         %[[B:.*]] = vector.insert_strided_slice %[[SECOND]], %{{.*}} {offsets = [2], strides = [1]} : vector<2xf32> into vector<4xf32>
// CHECK:         vector.shuffle %[[B]], %[[B]] [1, 0, 3, 2]
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @apart(%A: tensor<?x?xcomplex<f32>, #CSR>,
                 %B: memref<?x2xcomplex<f32>, strided<[8, 4]>>,
                 %C: memref<?x2xcomplex<f32>>) {
  %P = astfe.pack %A : tensor<?x?xcomplex<f32>, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xcomplex<f32>, #CSR>, !P -> tensor<?xcomplex<f32>>
  %w = bufferization.to_buffer %v : tensor<?xcomplex<f32>> to memref<?xcomplex<f32>>
  astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%w, %B : memref<?xcomplex<f32>>, memref<?x2xcomplex<f32>, strided<[8, 4]>>)
      outs(%C : memref<?x2xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    astfe.yield "addf" %p : complex<f32>
  }
  return
}
