// RUN: astfe-opt %s --convert-astfe-to-scf --split-input-file --verify-diagnostics
// RUN: not astfe-opt %s --convert-astfe-to-scf=vector-bytes=48 --split-input-file 2>&1 | FileCheck %s --check-prefix=BYTES

// BYTES: expected option 'vector-bytes' to be 16, 32 or 64 but got '48'

#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
func.func @view_from_elsewhere(%P: !astfe.blocked<?x?, #view>, %v: tensor<?xf32>,
                               %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  // expected-error @below {{expected a view that astfe.pack makes in the same function}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#S = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
func.func @view_of_dcsr(%A: tensor<?x?xf32, #S>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  // expected-error @below {{expected a CSR or CSC matrix to view but got}}
  %P = astfe.pack %A : tensor<?x?xf32, #S> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #S>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @branches(%h: !astfe.profile<?x?>, %c: i1) {
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  cf.cond_br %c, ^refine, ^end
^refine:
  // expected-error @below {{expected handles to stay in structured control flow but got a use in another block}}
  %f = astfe.refine %g by %h : !astfe.graph<?x?>, !astfe.profile<?x?>
  cf.br ^end
^end:
  return
}

// -----

#packed = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
func.func @complex_factors(%P: !astfe.blocked<?x?, #packed>,
                           %v: tensor<?xcomplex<f32>>,
                           %y: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  // expected-error @below {{expected complex numbers that are added up but got mulf}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #packed> maps [#n, #i]
      ins(%v : tensor<?xcomplex<f32>>) outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>):
    astfe.yield "mulf" %a : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}

// -----

#packed = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
func.func @complex(%P: !astfe.blocked<?x?, #packed>,
                   %v: tensor<?xcomplex<f32>>, %x: tensor<?xcomplex<f32>>,
                   %y: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #packed> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    // expected-error @below {{expected complex.add, conj, constant, create, im, mul, neg, re or sub, or arith.select, on complex numbers but got complex.div}}
    %p = complex.div %a, %b : complex<f32>
    astfe.yield "addf" %p : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}
