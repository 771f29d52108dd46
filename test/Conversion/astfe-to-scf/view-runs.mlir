// RUN: astfe-opt %s --convert-astfe-to-scf=far-strips=true --canonicalize --cse | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s --check-prefix=WHOLE
// RUN: astfe-opt %s --convert-astfe-to-scf=serial=true --canonicalize --cse | FileCheck %s --check-prefix=SERIAL

// Rows that are far are cut to strips of 256 bytes: all rows of one strip, then
// all of the next, where the processor is said to gain by it; rows that are near
// are whole. In turn there is one run, for which nothing is searched.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @strips(
// CHECK:         scf.if %{{.*}} {
// CHECK:           scf.for %[[STRIP:[^ ]*]] = %c0 to %c128 step %c64
// CHECK:             scf.parallel
// CHECK:               scf.for %[[K:[^ ]*]] = %[[STRIP]] to
// CHECK:               memref.prefetch %{{.*}}[%{{.*}}, %[[K]]], read, locality<3>
// CHECK:         } else {
// CHECK-NOT:       memref.prefetch %{{.*}} read
// CHECK:         return
// WHOLE-LABEL: func.func @strips(
// WHOLE-NOT:     step %c64
// WHOLE:         memref.prefetch %{{.*}}, read, locality<3>
// WHOLE-NOT:     step %c64
// WHOLE:         return
// SERIAL-LABEL: func.func @strips(
// SERIAL-NOT:     scf.parallel
// SERIAL-NOT:     scf.while
// SERIAL:         return
func.func @strips(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
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

// Rows of 2 KiB are not cut.

// CHECK-LABEL: func.func @wide(
// CHECK-NOT:     to %c512 step %c64
// CHECK:         return
func.func @wide(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x512xf32>,
                %C: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x512xf32>)
      outs(%C : tensor<?x512xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}
