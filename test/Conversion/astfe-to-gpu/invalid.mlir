// RUN: astfe-opt %s --convert-astfe-to-gpu --split-input-file --verify-diagnostics
// RUN: not astfe-opt %s --convert-astfe-to-gpu=column-tile=48 --split-input-file 2>&1 | FileCheck %s --check-prefix=TILE

// TILE: expected option 'column-tile' to be 32, 64 or 128 but got '48'

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>
func.func @no_atomic(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                     %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected a combiner with an atomic form but got mulf of 'f32'; a deterministic layout needs none}}
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
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>
func.func @by_columns(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                      %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected an output indexed by (n), (row) or (row, j) on a GPU}}
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
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>
func.func @complex(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xcomplex<f32>>,
                   %x: tensor<?xcomplex<f32>>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  // expected-error @below {{expected one output of complex numbers where an input has such on a GPU}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    %q = complex.re %p : complex<f32>
    astfe.yield "addf" %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#n = affine_map<(n, i, j, k) -> (n)>
#x = affine_map<(n, i, j, k) -> (j, k)>
#y = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>
func.func @mixed(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xcomplex<f32>>,
                 %x: tensor<?x8xf32>, %y: tensor<?x8xcomplex<f32>>)
    -> tensor<?x8xcomplex<f32>> {
  // expected-error @below {{expected dense columns of complex numbers beside others on a GPU but got 'f32'}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xcomplex<f32>>, tensor<?x8xf32>)
      outs(%y : tensor<?x8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: f32):
    %c = complex.create %b, %b : complex<f32>
    %p = complex.mul %a, %c : complex<f32>
    astfe.yield "addf" %p : complex<f32>
  } -> tensor<?x8xcomplex<f32>>
  return %r : tensor<?x8xcomplex<f32>>
}

// -----

// PTX has no sine of f64; what libdevice has cannot be linked into it.

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>
func.func @libdevice(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf64>,
                     %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf64>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    // expected-error @below {{expected an op that PTX has instructions for, or erf, exp, exp2, expm1, log, log1p, log2, powf or tanh in f32 or f64; a kernel calls no libdevice}}
    %e = math.sin %b : f64
    %p = arith.mulf %a, %e : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered, row_slices]>
func.func @slices(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                  %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected a pattern whose layout has target = gpu but got #astfe.layout<packed, columns = 32, classes = [scattered, row_slices]>; the option 'chip' of astfe-select-kernels says which it is, before the tensor is packed}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (j, k)>
#c = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered], target = gpu>
func.func @space(%P: !astfe.blocked<8x8, #L>, %v: memref<?xf32>,
                   %B: memref<8x4xf32, 1>,
                   %C: memref<8x4xf32>) {
  // expected-error @below {{expected buffers without strides, offsets and memory spaces on a GPU but got 'memref<8x4xf32, 1>'}}
  astfe.compute over %P : !astfe.blocked<8x8, #L> maps [#n, #b, #c]
      ins(%v, %B : memref<?xf32>, memref<8x4xf32, 1>)
      outs(%C : memref<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  }
  return
}

// -----

// A kernel counts rows in 32 bits.
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<3000000000x8, #astfe.layout<view>>
func.func @rows(%A: tensor<3000000000x8xf32, #CSR>, %x: tensor<8xf32>,
                %y: tensor<3000000000xf32>) -> tensor<3000000000xf32> {
  %P = astfe.pack %A : tensor<3000000000x8xf32, #CSR> -> !P
  %v = astfe.values %A in %P
    : tensor<3000000000x8xf32, #CSR>, !P -> tensor<?xf32>
  // expected-error @below {{expected extents below 2^31 on a GPU but got 3000000000}}
  %r = astfe.compute over %P : !P maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<8xf32>)
      outs(%y : tensor<3000000000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<3000000000xf32>
  return %r : tensor<3000000000xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>
func.func @halves(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xcomplex<f16>>,
                  %x: tensor<?xcomplex<f16>>, %y: tensor<?xcomplex<f16>>)
    -> tensor<?xcomplex<f16>> {
  // expected-error @below {{expected complex numbers of floats of 32 or 64 bits on a GPU but got 'complex<f16>'}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xcomplex<f16>>, tensor<?xcomplex<f16>>)
      outs(%y : tensor<?xcomplex<f16>>) {
  ^bb0(%a: complex<f16>, %b: complex<f16>):
    %p = complex.mul %a, %b : complex<f16>
    astfe.yield "addf" %p : complex<f16>
  } -> tensor<?xcomplex<f16>>
  return %r : tensor<?xcomplex<f16>>
}
