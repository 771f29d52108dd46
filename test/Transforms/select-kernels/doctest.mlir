// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: #pack = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered, dense_tile], target = gpu>
// CHECK-LABEL: func.func @f(
// CHECK:         astfe.pack %{{.*}} by %{{.*}} -> !astfe.blocked<4096x4096, #pack>
// CHECK:         kernel <[row_segments, scattered, dense_tile], column_tile = 128>
func.func @f(%A: tensor<4096x4096xf32, #CSR>, %B: tensor<4096x128xf32>,
             %C: tensor<4096x128xf32>, %g: !astfe.graph<4096x4096>)
    -> tensor<4096x128xf32> {
  %P = astfe.pack %A by %g : tensor<4096x4096xf32, #CSR>, !astfe.graph<4096x4096>
    -> !astfe.blocked<4096x4096, #pack>
  %v = astfe.values %A in %P
    : tensor<4096x4096xf32, #CSR>, !astfe.blocked<4096x4096, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x4096, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<4096x128xf32>)
      outs(%C : tensor<4096x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<4096x128xf32>
  return %r : tensor<4096x128xf32>
}
