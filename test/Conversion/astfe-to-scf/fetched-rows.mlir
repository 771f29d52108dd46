// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// A tile of four vectors or more asks for the output's row before its nonzeros
// are walked. A private row is in the cache: some other row stands for it.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @segments(
// CHECK:         scf.parallel
// CHECK:           case 0 {
// CHECK:             %[[OWN:.*]] = arith.maxsi %{{.*}}, %c0_i32
// CHECK:             %[[ROW:.*]] = arith.index_castui %[[OWN]] : i32 to index
// CHECK:             memref.prefetch %{{.*}}[%[[ROW]], %c0], write, locality<3>, data : memref<?x128xf32>
// CHECK-COUNT-7:     memref.prefetch %{{.*}}[%[[ROW]], %{{.*}}], write
// CHECK-NOT:         memref.prefetch
// CHECK:             %{{.*}}:8 = scf.for
func.func @segments(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                    %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

// Two vectors do not wait long enough.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     memref.prefetch {{.*}} write
// CHECK:         return
func.func @narrow(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                  %B: tensor<?x32xf32>, %C: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

// Rows of a view follow each other, which a processor foresees.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @view(
// CHECK-NOT:     memref.prefetch {{.*}} write
// CHECK:         return
func.func @view(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
