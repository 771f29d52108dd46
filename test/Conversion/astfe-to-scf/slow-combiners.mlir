// RUN: astfe-opt %s --convert-astfe-to-scf="vector-bytes=64 serial=true" --canonicalize --cse | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// A minimum takes several instructions, so that the sets of a row without a whole step
// are not combined.
// CHECK-LABEL: func.func @least(
// CHECK:         %[[SETS:.*]]:4 = scf.for
// CHECK:         scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK:         %[[START:.*]] = scf.if %{{.*}} -> (vector<8xf32>) {
// CHECK-COUNT-3:   arith.minimumf
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %{{.*}} : vector<8xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
func.func @least(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
                 %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    astfe.yield "minimumf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @sum(
// CHECK:         scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK-NOT:     scf.if
// CHECK:         scf.for
func.func @sum(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
               %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
