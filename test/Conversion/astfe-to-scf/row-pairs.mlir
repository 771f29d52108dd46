// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// Two rows that share columns: one list of columns for what both have, four
// loads of the window's copy and a multiply-add of each for both rows. Both
// rows keep their accumulators for the rest, and are written once.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#pairs = #astfe.layout<packed, columns = 8,
                       classes = [scattered, row_windows, row_pairs]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @spmm(
// CHECK:         scf.parallel
// CHECK:           %[[WINDOW:.*]] = memref.alloc() {{.*}} : memref<192x64xf32>
// CHECK:           default {
// CHECK:             scf.for
// CHECK:               vector.store {{.*}}, %[[WINDOW]]
// CHECK:             scf.for {{.*}} step %c3
// CHECK:               %[[SUMS:.*]]:8 = scf.for
// CHECK-COUNT-1:         memref.load {{.*}} : memref<?xi8>
// CHECK-NOT:             memref<?xi8>
// CHECK-COUNT-4:         vector.load %[[WINDOW]]
// CHECK-NOT:             vector.load
// CHECK-COUNT-8:         arith.addf {{.*}} : vector
// CHECK:                 scf.yield
// CHECK:               scf.for {{.*}} iter_args({{.*}} = %[[SUMS]]#0, {{.*}} = %[[SUMS]]#1, {{.*}} = %[[SUMS]]#2, {{.*}} = %[[SUMS]]#3
// CHECK:               scf.for {{.*}} iter_args({{.*}} = %[[SUMS]]#4, {{.*}} = %[[SUMS]]#5, {{.*}} = %[[SUMS]]#6, {{.*}} = %[[SUMS]]#7
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #pairs>,
                %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pairs> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pairs>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
