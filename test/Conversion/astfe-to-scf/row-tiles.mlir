// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// Rows that share their columns: four rows on four vectors, so that a vector of
// the dense operand is loaded once for four multiply-adds. Columns are those of
// the span's first row. The rows of the output are fetched before. A hundred
// columns are four vectors and three, the last of them one of four lanes.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#tiles = #astfe.layout<packed, columns = 16, classes = [scattered, row_tiles]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @spmm(
// CHECK:         scf.parallel
// CHECK:           default {
// CHECK-COUNT-16:    memref.prefetch %{{.*}}[%{{.*}}, %{{.*}}], write, locality<3>, data : memref<?x100xf32>
// CHECK:             %{{.*}}:16 = scf.for
// CHECK-NEXT:          %[[SLOT:.*]] = arith.addi
// CHECK-NEXT:          memref.load %{{.*}}[%[[SLOT]]] : memref<?xi16>
// CHECK-NOT:           memref.load {{.*}} : memref<?xi16>
// CHECK-COUNT-4:       vector.load {{.*}} : memref<?x100xf32>, vector<16xf32>
// CHECK-NOT:           vector.load
// CHECK:               scf.yield
// CHECK-COUNT-12:    memref.prefetch
// CHECK:             %{{.*}}:12 = scf.for
// CHECK-COUNT-2:       vector.load {{.*}} : memref<?x100xf32>, vector<16xf32>
// CHECK:               vector.load {{.*}} : memref<?x100xf32>, vector<4xf32>
// CHECK-NOT:           vector.load
// CHECK:               scf.yield
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #tiles>,
                %B: tensor<?x100xf32>, %C: tensor<?x100xf32>)
    -> tensor<?x100xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #tiles> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #tiles>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x100xf32>)
      outs(%C : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}
