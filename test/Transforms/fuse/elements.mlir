// RUN: astfe-opt %s --split-input-file --astfe-fuse --astfe-select-kernels | FileCheck %s

// Elements of any type have a size.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// CHECK-LABEL: @of_complex
// CHECK:         astfe.fuse {{.*}} element_bytes = 16
// CHECK:         kernel <
func.func @of_complex(%A: tensor<8x8xcomplex<f64>, #CSR>,
                      %x: tensor<8xcomplex<f64>>, %y: tensor<8xcomplex<f64>>,
                      %h: !astfe.profile<8x8>) -> tensor<8xcomplex<f64>> {
  %g = astfe.partition %h leaf = 64 : !astfe.profile<8x8> -> !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xcomplex<f64>, #CSR>, !astfe.graph<8x8>
      -> !astfe.blocked<8x8, #pack>
  %v = astfe.values %A in %P
    : tensor<8x8xcomplex<f64>, #CSR>, !astfe.blocked<8x8, #pack>
      -> tensor<?xcomplex<f64>>
  %r = astfe.compute over %P : !astfe.blocked<8x8, #pack>
      maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
            affine_map<(n, i, j) -> (i)>]
      ins(%v, %x : tensor<?xcomplex<f64>>, tensor<8xcomplex<f64>>)
      outs(%y : tensor<8xcomplex<f64>>) {
  ^bb0(%a: complex<f64>, %b: complex<f64>):
    %p = complex.mul %a, %b : complex<f64>
    astfe.yield "addf" %p : complex<f64>
  } -> tensor<8xcomplex<f64>>
  return %r : tensor<8xcomplex<f64>>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// CHECK-LABEL: @of_bits
// CHECK:         astfe.fuse {{.*}} element_bytes = 1
func.func @of_bits(%A: tensor<8x8xi1, #CSR>, %h: !astfe.profile<8x8>)
    -> tensor<?xi1> {
  %g = astfe.partition %h leaf = 64 : !astfe.profile<8x8> -> !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xi1, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  %v = astfe.values %A in %P
    : tensor<8x8xi1, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xi1>
  return %v : tensor<?xi1>
}
