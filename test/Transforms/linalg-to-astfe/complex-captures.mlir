// RUN: astfe-opt %s --split-input-file \
// RUN:   --convert-linalg-to-astfe="target=gpu storage=packed" \
// RUN:   --remarks-filter='.*' --remark-policy=all --verify-diagnostics \
// RUN:   | FileCheck %s

// A kernel is passed complex numbers of its output's type, and their parts, also
// where nothing but an op on complex numbers reads them.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// CHECK-LABEL: func @wider
// CHECK-NOT: astfe.compute
func.func @wider(%A: tensor<?x?xcomplex<f32>, #CSR>, %x: tensor<?xcomplex<f32>>,
                 %y: tensor<?xcomplex<f32>>, %s: complex<f64>)
    -> tensor<?xcomplex<f32>> {
  // expected-remark @below {{expected a body that reads scalars of type complex<f32> or f32 from outside on a GPU but it reads one of type complex<f64>}}
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xcomplex<f32>, #CSR>, tensor<?xcomplex<f32>>)
      outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    %re = complex.re %s : complex<f64>
    %f = arith.truncf %re : f64 to f32
    %g = complex.create %f, %f : complex<f32>
    %h = complex.mul %b, %g : complex<f32>
    %p = complex.mul %a, %h : complex<f32>
    %t = complex.add %c, %p : complex<f32>
    linalg.yield %t : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// CHECK-LABEL: func @parts
// CHECK: astfe.compute
func.func @parts(%A: tensor<?x?xcomplex<f32>, #CSR>, %x: tensor<?xcomplex<f32>>,
                 %y: tensor<?xcomplex<f32>>, %s: complex<f32>, %u: f32)
    -> tensor<?xcomplex<f32>> {
  // expected-remark @below {{raised}}
  // expected-remark @below {{the output comes from outside of the function}}
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xcomplex<f32>, #CSR>, tensor<?xcomplex<f32>>)
      outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    %g = complex.create %u, %u : complex<f32>
    %h = complex.mul %b, %g : complex<f32>
    %q = complex.mul %h, %s : complex<f32>
    %p = complex.mul %a, %q : complex<f32>
    %t = complex.add %c, %p : complex<f32>
    linalg.yield %t : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}
