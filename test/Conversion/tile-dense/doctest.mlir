// RUN: astfe-opt %s --astfe-tile-dense --split-input-file | FileCheck %s

// A product with 16 columns: tiles of 12 rows times one vector, whose sums stay
// in registers, then of one row.

// CHECK-LABEL: @narrow
// CHECK:       scf.parallel
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-12:    vector.load %{{.*}} : memref<?x16xf32>, vector<16xf32>
// CHECK:             scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>
// CHECK:               memref.load
// CHECK:               vector.load
// CHECK:               arith.mulf {{.*}} fastmath<contract>
// CHECK:               arith.addf {{.*}} fastmath<contract>
// CHECK:             vector.store
// CHECK-NOT:   vector.maskedload
// CHECK-NOT:   linalg
func.func @narrow(%A: memref<?x100xf32>, %B: memref<100x16xf32>,
                  %C: memref<?x16xf32>) {
  linalg.matmul ins(%A, %B : memref<?x100xf32>, memref<100x16xf32>)
                outs(%C : memref<?x16xf32>)
  return
}

// -----

// Any number of columns: tiles of four vectors, of one, and a masked one.

// CHECK-LABEL: @wide
// CHECK:       scf.parallel
// CHECK:         vector.store
// CHECK:         vector.store
// CHECK:         vector.create_mask
// CHECK:         vector.maskedload
// CHECK:         vector.maskedstore
func.func @wide(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  linalg.matmul ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>)
                outs(%C : memref<?x?xf64>)
  return
}

// -----

// What elementwise fusion put into a product, on the left operand: once for each
// of its elements, not for each column.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @activated
// CHECK:       arith.maximumf %{{.*}} : f32
// CHECK-NOT:   arith.maximumf {{.*}} : vector
func.func @activated(%A: memref<?x8xf32>, %B: memref<8x64xf32>,
                     %C: memref<?x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#mk, #kn, #mn],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<?x8xf32>, memref<8x64xf32>) outs(%C : memref<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.maximumf %a, %zero : f32
    %p = arith.mulf %r, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
