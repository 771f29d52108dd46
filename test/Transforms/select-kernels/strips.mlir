// RUN: astfe-opt %s --astfe-select-kernels --split-input-file | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 --split-input-file | FileCheck %s --check-prefix=GPU

// A host's pack is told how wide the operands are, where there is more than one
// strip of 512 bytes and their number of columns is known.

// GPU-NOT: dense_bytes

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK-LABEL: func.func @one_strip
// CHECK-NOT: dense_bytes
func.func @one_strip(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                     %C: tensor<?x128xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x128xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK: #astfe.layout<packed, {{.*}}, dense_bytes = 1032>
// CHECK-LABEL: func.func @two_strips
func.func @two_strips(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x129xf64>,
                      %C: tensor<?x129xf64>, %g: !astfe.graph<?x?>)
    -> tensor<?x129xf64> {
  %P = astfe.pack %A by %g : tensor<?x?xf64, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf64, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf64>, tensor<?x129xf64>)
      outs(%C : tensor<?x129xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?x129xf64>
  return %r : tensor<?x129xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: dense_bytes
func.func @unknown(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                   %C: tensor<?x?xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
