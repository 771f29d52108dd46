// RUN: astfe-opt %s --convert-astfe-to-gpu --split-input-file --verify-diagnostics
// RUN: not astfe-opt %s --convert-astfe-to-gpu=column-tile=48 --split-input-file 2>&1 | FileCheck %s --check-prefix=TILE

// TILE: expected column-tile 32, 64 or 128 but got 48

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
func.func @no_atomic(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                     %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected a combiner with an atomic form but got mulf; a deterministic layout needs none}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    astfe.yield "mulf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (i)>
#y = affine_map<(n, i, j) -> (j)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
func.func @by_columns(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                      %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected an output indexed by (row) or (row, j) on a GPU}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
func.func @complex(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xcomplex<f32>>,
                   %x: tensor<?xcomplex<f32>>, %y: tensor<?xcomplex<f32>>)
    -> tensor<?xcomplex<f32>> {
  // expected-error @below {{expected elements of type f32 or f64 on a GPU but got 'complex<f32>'}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    astfe.yield "addf" %p : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}

// -----

// PTX has no exp; what libdevice has cannot be linked into it.

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
func.func @libdevice(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                     %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{expected an op that PTX has instructions for; a kernel calls no libdevice}}
    %e = math.exp %b : f32
    %p = arith.mulf %a, %e : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered, row_slices]>
func.func @slices(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                  %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected a layout without 'row_slices' and 'row_windows' on a GPU}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
