// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=64 --canonicalize --cse | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=32 --canonicalize --cse | FileCheck %s --check-prefix=NARROW

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// A view's rows of 2 KiB: tiles of sixteen vectors where there are 32 registers,
// all of which are constant distances from one address, and nothing is asked
// for ahead.

// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     memref.prefetch {{.*}} read
// CHECK:         scf.for %[[K:.*]] = %c0 to %c512 step %c256
// CHECK:           scf.for {{.*}} step %c2 iter_args
// CHECK:             vector.load %{{.*}}[%{{.*}}, %[[K]]] : memref<?x512xf32>, vector<16xf32>
// CHECK:             %[[AT:.*]] = arith.addi %[[K]], %{{.*}}
// CHECK:             %[[FROM:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%[[AT]]], sizes: [%{{.*}}], strides: [1]
// CHECK:             vector.load %[[FROM]][%c16] : memref<?xf32, strided<[1], offset: ?>>, vector<16xf32>
// CHECK-COUNT-13:    vector.load {{.*}} : memref<?xf32, strided<[1], offset: ?>>, vector<16xf32>
// CHECK:             vector.load {{.*}}[%c240] : memref<?xf32, strided<[1], offset: ?>>, vector<16xf32>
// CHECK-NOT:     memref.prefetch {{.*}} read

// NARROW-LABEL: func.func @whole(
// NARROW:         scf.for %{{.*}} = %c0 to %c512 step %c64
func.func @whole(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x512xf32>,
                 %C: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x512xf32>)
      outs(%C : tensor<?x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}
