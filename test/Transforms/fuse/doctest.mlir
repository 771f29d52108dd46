// RUN: astfe-opt %s --astfe-fuse=cache=65536 | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK-LABEL: func.func @f(
// CHECK:         %[[H:.*]] = astfe.profile
// CHECK:         %[[G0:.*]] = astfe.partition %[[H]]
// CHECK:         %[[G1:.*]] = astfe.fuse %[[G0]] by %[[H]] cache = 65536 columns = 64 : !astfe.graph<?x?>, !astfe.profile<?x?>
// CHECK:         astfe.pack %{{.*}} by %[[G1]]
func.func @f(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
             %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack> maps [#n, #kj, #ij]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>) outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
