// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// The tile of the kernel attribute: 64 columns are four vectors, 16 are one, 8
// half of one; a vector holds what it holds where the tile is narrower. Nonzeros
// are taken two at a time on two sets of accumulators, four for a tile of one
// vector; what is left is added to the first set.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @tile64(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c64
// CHECK:           %{{.*}}:8 = scf.for {{.*}} step %c2
// CHECK:           %{{.*}}:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
func.func @tile64(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                  %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 64>
    -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// CHECK-LABEL: func.func @tile16(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c16
// CHECK:           %{{.*}}:4 = scf.for {{.*}} step %c4
// CHECK:           scf.for {{.*}} -> (vector<16xf32>)
func.func @tile16(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                  %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 16>
    -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// CHECK-LABEL: func.func @tile8(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c128{{.*}} step %c8
// CHECK:           %{{.*}}:4 = scf.for {{.*}} step %c4
// CHECK:           scf.for {{.*}} -> (vector<8xf32>)
func.func @tile8(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                  %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 8>
    -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// CHECK-LABEL: func.func @dynamic16(
// CHECK-NOT:     step %c2{{[_ ]}}
// CHECK:         scf.for {{.*}} -> (vector<16xf32>)
// CHECK-NOT:     step %c2{{[_ ]}}
// CHECK:         return
func.func @dynamic16(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                  %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 16>
    -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
