// RUN: astfe-opt %s --astfe-select-kernels --split-input-file | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 --split-input-file | FileCheck %s --check-prefix=GPU
// RUN: astfe-opt %s --astfe-select-kernels=classes=scattered --split-input-file | FileCheck %s --check-prefix=ONLY

// On the host, products with dense columns may take rows that share theirs
// together, and from 128 bytes a row on keep windows of the operand in cache:
// the widest ones where a row has no more than that. Up to 128 bytes the pattern
// says that, so that pack may sort its rows by length.

// GPU-NOT: row_windows
// GPU-NOT: row_tiles
// GPU-NOT: window =
// GPU-NOT: dense_bytes

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile, row_tiles], dense_bytes = 128>
// CHECK-LABEL: func.func @columns31_f32
func.func @columns31_f32(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x31xf32>,
                %C: tensor<?x31xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x31xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x31xf32>)
      outs(%C : tensor<?x31xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x31xf32>
  return %r : tensor<?x31xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile, row_windows, row_tiles], window = 192, dense_bytes = 128>
// CHECK-LABEL: func.func @columns32_f32
func.func @columns32_f32(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                %C: tensor<?x32xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x32xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments, dense_tile, row_windows, row_tiles]>
// ONLY:  #astfe.layout<packed, columns = 32, classes = [scattered]>
// CHECK-LABEL: func.func @columns33_f32
func.func @columns33_f32(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x33xf32>,
                %C: tensor<?x33xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x33xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x33xf32>)
      outs(%C : tensor<?x33xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x33xf32>
  return %r : tensor<?x33xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile, row_windows, row_tiles], window = 192, dense_bytes = 128>
// CHECK-LABEL: func.func @columns16_f64
func.func @columns16_f64(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x16xf64>,
                %C: tensor<?x16xf64>, %g: !astfe.graph<?x?>)
    -> tensor<?x16xf64> {
  %P = astfe.pack %A by %g : tensor<?x?xf64, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf64, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf64>, tensor<?x16xf64>)
      outs(%C : tensor<?x16xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?x16xf64>
  return %r : tensor<?x16xf64>
}
