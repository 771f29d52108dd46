// RUN: astfe-opt %s --verify-roundtrip --split-input-file | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed)
}>
#pack = #astfe.layout<packed, columns = 16,
                      classes = [row_segments, scattered]>
#n = affine_map<(n, i, k, j) -> (n)>
#jk = affine_map<(n, i, k, j) -> (k, j)>
#ik = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: #pack = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%A: tensor<4096x?xf32, #CSR>, %B: tensor<?x128xf32>,
                   %C: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
  // CHECK: astfe.profile of %{{.*}} order = "hilbert" min = 256 : tensor<4096x?xf32, #{{.*}}> -> !astfe.profile<4096x?>
  %h = astfe.profile of %A order = "hilbert" min = 256
    : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
  // CHECK: astfe.partition %{{.*}} leaf = 4096 : !astfe.profile<4096x?> -> !astfe.graph<4096x?>
  %g0 = astfe.partition %h leaf = 4096
    : !astfe.profile<4096x?> -> !astfe.graph<4096x?>
  // CHECK: astfe.refine %{{.*}} by %{{.*}} threshold = 6.600000e-01 : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  %g1 = astfe.refine %g0 by %h threshold = 6.6e-01
    : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  // CHECK: astfe.fuse %{{.*}} by %{{.*}} : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  %g2 = astfe.fuse %g1 by %h : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  // CHECK: astfe.pack %{{.*}} by %{{.*}} : tensor<4096x?xf32, #{{.*}}>, !astfe.graph<4096x?> -> !astfe.blocked<4096x?, #pack>
  %P = astfe.pack %A by %g2 : tensor<4096x?xf32, #CSR>, !astfe.graph<4096x?>
    -> !astfe.blocked<4096x?, #pack>
  // CHECK: astfe.values %{{.*}} in %{{.*}} : tensor<4096x?xf32, #{{.*}}>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
  %v = astfe.values %A in %P
    : tensor<4096x?xf32, #CSR>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x?, #pack> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<4096x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <["row_segments", "scattered"], column_tile = 128>
    -> tensor<4096x128xf32>
  return %r : tensor<4096x128xf32>
}

// -----

func.func @constant() -> !astfe.graph<4096x?> {
  // CHECK: astfe.graph hilbert [4096, 4096] { b00 : 4711  b0100 : 380  b0101 : 377  b11 : 2900 } groups [0, 1, 3, 4] limit 4096 threshold 6.600000e-01 : !astfe.graph<4096x?>
  %g = astfe.graph hilbert [4096, 4096] {
    b00 : 4711   b0100 : 380   b0101 : 377   b11 : 2900
  } groups [0, 1, 3, 4] limit 4096 threshold 6.6e-01 : !astfe.graph<4096x?>
  return %g : !astfe.graph<4096x?>
}
