// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 --split-input-file -o /dev/null \
// RUN:   --remarks-filter='.*select.*' --remark-policy=all 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels --split-input-file -o /dev/null \
// RUN:   --remarks-filter='.*select.*' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=HOST

// A quarter of all entries is so much that a GPU multiplies the dense matrix
// faster; a hundredth is not. Nothing is said for a host.

// CHECK:     [Missed] sparse | Category:astfe-select-kernels | Function=quarter | Reason="a product of dense matrices is predicted to be faster on a GPU"
// CHECK-SAME: dense-ns=3{{[0-9][0-9][0-9][0-9][0-9]}}, sparse-ns=1{{[0-9]*}}
// CHECK-NOT: sparse | Category
// HOST-NOT:  sparse | Category

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>
func.func @quarter(%A: tensor<4096x4096xf32, #CSR>, %B: tensor<4096x512xf32>,
                   %C: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %g = astfe.graph rows [4096, 4096]{b : 4194304} groups [0, 1]
    : !astfe.graph<4096x4096>
  %P = astfe.pack %A by %g
    : tensor<4096x4096xf32, #CSR>, !astfe.graph<4096x4096>
    -> !astfe.blocked<4096x4096, #pack>
  %v = astfe.values %A in %P
    : tensor<4096x4096xf32, #CSR>, !astfe.blocked<4096x4096, #pack>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x4096, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<4096x512xf32>)
      outs(%C : tensor<4096x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<4096x512xf32>
  return %r : tensor<4096x512xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>
func.func @hundredth(%A: tensor<4096x4096xf32, #CSR>, %B: tensor<4096x512xf32>,
                     %C: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %g = astfe.graph rows [4096, 4096]{b : 167772} groups [0, 1]
    : !astfe.graph<4096x4096>
  %P = astfe.pack %A by %g
    : tensor<4096x4096xf32, #CSR>, !astfe.graph<4096x4096>
    -> !astfe.blocked<4096x4096, #pack>
  %v = astfe.values %A in %P
    : tensor<4096x4096xf32, #CSR>, !astfe.blocked<4096x4096, #pack>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x4096, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<4096x512xf32>)
      outs(%C : tensor<4096x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<4096x512xf32>
  return %r : tensor<4096x512xf32>
}

// -----

// Another semiring has no dense product in its place.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>
func.func @semiring(%A: tensor<4096x4096xf32, #CSR>, %B: tensor<4096x512xf32>,
                   %C: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %g = astfe.graph rows [4096, 4096]{b : 4194304} groups [0, 1]
    : !astfe.graph<4096x4096>
  %P = astfe.pack %A by %g
    : tensor<4096x4096xf32, #CSR>, !astfe.graph<4096x4096>
    -> !astfe.blocked<4096x4096, #pack>
  %v = astfe.values %A in %P
    : tensor<4096x4096xf32, #CSR>, !astfe.blocked<4096x4096, #pack>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x4096, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<4096x512xf32>)
      outs(%C : tensor<4096x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    astfe.yield "maximumf" %p : f32
  } -> tensor<4096x512xf32>
  return %r : tensor<4096x512xf32>
}
