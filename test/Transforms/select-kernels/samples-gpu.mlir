// RUN: astfe-opt %s --astfe-select-kernels="chip=sm_90" | FileCheck %s

// Samples are written in slots, which are in order where nothing is a tile and
// rows keep their places (lib/Core/Pack/PackCut.cpp).

// CHECK: #astfe.layout<packed, {{.*}}classes = [row_segments, scattered], target = gpu

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

func.func @sampled(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x64xf32>,
                   %Y: tensor<?x64xf32>, %s: tensor<?xf32>,
                   %g: !astfe.graph<?x?>) -> tensor<?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#ik, #jk, #n] ins(%X, %Y : tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%s : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
