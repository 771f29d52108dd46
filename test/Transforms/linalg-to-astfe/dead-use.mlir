// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s

// What the contribution is made of may be read again by an op whose result
// nobody reads: the product is raised, and the contribution alone is yielded.

// CHECK-LABEL: func.func @dead
// CHECK:         astfe.compute
// CHECK:           %[[Q:.*]] = arith.mulf
// CHECK:           astfe.yield "addf" %[[Q]]
// CHECK-NOT:     linalg.generic

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @dead(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %q = arith.mulf %a, %b : f32
    %d = arith.mulf %q, %q : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
