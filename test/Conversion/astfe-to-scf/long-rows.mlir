// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// A row of 32 nonzeros or more takes eight at once, if its operands are not
// far, by tiles of four vectors or more; what is left goes in pairs.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @wide(
// CHECK:         %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %c32
// CHECK:         %[[BOTH:.*]] = arith.andi %[[LONG]], %{{.*}}
// CHECK:         scf.if %[[BOTH]] -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, index)
// CHECK:           scf.for %{{.*}} step %c8
// CHECK-COUNT-64:    arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT:         memref.prefetch
// CHECK:         scf.for %{{.*}} step %c2
// CHECK:         return
func.func @wide(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     step %c8
// CHECK:         scf.for %{{.*}} step %c2
// CHECK:         return
func.func @narrow(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                  %C: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
