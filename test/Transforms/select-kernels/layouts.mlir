// RUN: astfe-opt %s --astfe-select-kernels --split-input-file | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels="deterministic assume-finite" --split-input-file \
// RUN:   | FileCheck %s --check-prefix=FLAGS
// RUN: astfe-opt %s --astfe-select-kernels --remarks-filter='.*select.*' --remark-policy=all \
// RUN:   --split-input-file -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// FLAGS: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile, row_windows, row_tiles], deterministic, assume_finite>

// Nothing is known of the columns: 32 bits number any.

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile, row_windows, row_tiles]>
// REMARK: [Analysis] layout | Category:astfe-select-kernels | Function=unknown | classes="row_segments, scattered, dense_tile, row_windows, row_tiles", column-bits=32, target=host
// REMARK: [Passed] derived | Category:astfe-select-kernels | Function=unknown | column-tile=64, target=host
func.func @unknown(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
             %C: tensor<?x?xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: #astfe.layout<packed, columns = 8, classes = [row_segments, scattered, dense_tile, row_windows, row_tiles]>
func.func @narrow(%A: tensor<?x200xf32, #CSR>, %B: tensor<200x?xf32>,
             %C: tensor<?x?xf32>, %g: !astfe.graph<?x200>)
    -> tensor<?x?xf32> {
  %P = astfe.pack %A by %g : tensor<?x200xf32, #CSR>, !astfe.graph<?x200>
    -> !astfe.blocked<?x200, #pack>
  %v = astfe.values %A in %P
    : tensor<?x200xf32, #CSR>, !astfe.blocked<?x200, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x200, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<200x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// Groups of a constant graph are at most 2^16 columns wide although the matrix
// is not, and no block is a quarter full: dense tiles are not compiled in. The
// graph then no longer keeps its profile.

// CHECK: #astfe.layout<packed, columns = 16, classes = [row_segments, scattered, row_windows, row_tiles]>
// CHECK: astfe.graph morton [131072, 131072]
// CHECK-NOT: astfe.profile
// CHECK: kernel <[row_segments, scattered, row_windows, row_tiles], column_tile = 64>
func.func @constant(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
             %C: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %g = astfe.graph morton [131072, 131072] { b00 : 70  b01 : 30  b10 : 9 }
    groups [0, 1, 2, 3]
    {astfe.profile = #astfe.profile<morton [131072, 131072] {b0 : 100  b1 : 9}>}
    : !astfe.graph<?x?>
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// The same in two groups: the first is as wide as the matrix.

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, row_windows, row_tiles]>
func.func @wide(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
             %C: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %g = astfe.graph morton [131072, 131072] { b00 : 70  b01 : 30  b10 : 9 }
    groups [0, 2, 3] : !astfe.graph<?x?>
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
