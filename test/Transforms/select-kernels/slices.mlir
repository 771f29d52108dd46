// RUN: astfe-opt %s --astfe-select-kernels --split-input-file | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 --split-input-file | FileCheck %s --check-prefix=GPU

// On the host, products with one column may slice their rows.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>

// CHECK: classes = [row_segments, scattered, dense_tile, row_slices]>
// CHECK: kernel <[row_segments, scattered, dense_tile, row_slices], column_tile = 0>
// GPU:     classes = [row_segments, scattered, dense_tile], target = gpu, column_tile = 0>
// GPU-NOT: row_slices
func.func @matvec(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                  %y: tensor<?xf32>, %g: !astfe.graph<?x?>) -> tensor<?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #j, #i] ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A product with columns over the same pattern: no slices.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#nk = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK-LABEL: func.func @both
// CHECK-NOT:   row_slices
func.func @both(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>, %B: tensor<?x8xf32>, %C: tensor<?x8xf32>,
                %g: !astfe.graph<?x?>) -> (tensor<?xf32>, tensor<?x8xf32>) {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #j, #i] ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %s = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#nk, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r, %s : tensor<?xf32>, tensor<?x8xf32>
}
