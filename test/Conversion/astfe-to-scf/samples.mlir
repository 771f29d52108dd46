// RUN: astfe-opt %s --convert-astfe-to-scf --remarks-filter='convert-astfe-to-scf' \
// RUN:   --split-input-file 2>&1 | FileCheck %s

// Four nonzeros at a time: their row of X is loaded once, before them, the sums
// of their lanes cross in two steps, and what the value multiplies is the sums.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#x = affine_map<(n, i, j, k) -> (i, k)>
#y = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK: emitters="samples of rows, sums in lanes of 16"
// CHECK-LABEL: func.func @sampled
// CHECK:       scf.parallel
// CHECK:         %[[X0:.*]] = vector.load %{{.*}} : memref<?x32xf32>, vector<16xf32>
// CHECK:         %[[X1:.*]] = vector.load %{{.*}} : memref<?x32xf32>, vector<16xf32>
// CHECK:         scf.for %[[N:.*]] = %{{.*}} to %{{.*}} step %c4
// CHECK-COUNT-4:   arith.mulf %[[X0]], %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK-COUNT-4:   arith.mulf %[[X1]], %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK:           vector.shuffle %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK-COUNT-5:   vector.shuffle
// CHECK:           %[[V:.*]] = vector.load %{{.*}}[%[[N]]] : memref<?xf32>, vector<4xf32>
// CHECK:           %[[S:.*]] = arith.mulf %{{.*}}, %[[V]] fastmath<contract> : vector<4xf32>
// CHECK:           vector.store %[[S]], %{{.*}}[%[[N]]] : memref<?xf32>, vector<4xf32>
func.func @sampled(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x32xf32>,
                   %Y: tensor<?x32xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #x, #y, #n]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x32xf32>, tensor<?x32xf32>)
      outs(%s : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.mulf %m, %a : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
