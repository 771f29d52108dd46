// RUN: astfe-opt %s --linalg-fuse-elementwise-ops --convert-linalg-to-astfe --canonicalize | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu=storage=packed -o /dev/null

// Upstream's patterns cast a sparse operand to the extents that others have,
// which its sparsifier does not lower: the tensor before the cast is packed.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

// CHECK-LABEL: func.func @rows_are_known
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{.*}}>
// CHECK-NOT:     tensor.cast
// CHECK:         astfe.pack %[[A]] : tensor<?x?xf32, #{{.*}}> -> !astfe.blocked<?x?, #{{.*}}>
// CHECK:         astfe.compute
func.func @rows_are_known(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x7xf32>,
                          %C: tensor<513x7xf32>) -> tensor<513x7xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                       affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, k)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x7xf32>)
      outs(%C : tensor<513x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<513x7xf32>
  return %r : tensor<513x7xf32>
}
