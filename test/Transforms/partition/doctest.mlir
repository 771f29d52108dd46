// RUN: astfe-opt %s --astfe-partition="order=hilbert min=16 leaf=64" | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, k) -> (n)>
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>

// CHECK: #pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]>
// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{.*}}>,
// CHECK:         %[[H:.*]] = astfe.profile of %[[A]] order = "hilbert" min = 16 : tensor<?x?xf32, #{{.*}}> -> !astfe.profile<?x?>
// CHECK:         %[[G:.*]] = astfe.partition %[[H]] leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
// CHECK:         %[[P:.*]] = astfe.pack %[[A]] by %[[G]] : tensor<?x?xf32, #{{.*}}>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
// CHECK:         astfe.values %[[A]] in %[[P]] : tensor<?x?xf32, #{{.*}}>, !astfe.blocked<?x?, #pack>
// CHECK:         astfe.compute over %[[P]] : !astfe.blocked<?x?, #pack>
func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #k, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
