// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// A view whose coordinates name the rows of the output: where the output is larger
// than the second cache, the rows of nonzeros further on are asked for, by a loop of
// its own. The other one does not ask.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK-LABEL: func.func @transposed(
// CHECK:           %[[BYTES:.*]] = arith.muli %{{.*}}, %c128{{.*}} : index
// CHECK:           %[[FAR:.*]] = arith.cmpi ugt, %[[BYTES]], %c{{[0-9]+}} : index
// CHECK:           scf.if %[[FAR]] {
// CHECK:             %[[LAST:.*]] = arith.subi %{{.*}}, %c1
// CHECK:             scf.for
// CHECK:               scf.for %[[N:.*]] = %{{.*}} to
// CHECK:                 %[[AHEAD:.*]] = arith.addi %[[N]], %c16
// CHECK:                 %[[LATER:.*]] = arith.minui %[[AHEAD]], %[[LAST]]
// CHECK:                 %[[STORED:.*]] = memref.load %{{.*}}[%[[LATER]]] : memref<?xi32>
// CHECK:                 %[[ROW:.*]] = arith.index_castui %[[STORED]]
// CHECK:                 memref.prefetch %{{.*}}[%[[ROW]], %{{.*}}], write, locality<3>
// CHECK:                 memref.prefetch %{{.*}}[%[[ROW]], %{{.*}}], write, locality<3>
// CHECK-NOT:             memref.prefetch
// CHECK:           } else {
// CHECK-NOT:         memref.prefetch
// CHECK:         return
func.func @transposed(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
    %C: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #ik, #jk]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
