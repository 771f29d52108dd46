// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx | FileCheck %s --check-prefix=GPU

// Constants are copied into the body: a kernel reads nothing from outside.

// CHECK-LABEL: @doubled
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[X:.*]]: f32):
// CHECK:           %[[TWO:.*]] = arith.constant 2.0
// CHECK:           %[[P:.*]] = arith.mulf %[[A]], %[[X]]
// CHECK:           arith.mulf %[[P]], %[[TWO]]

// GPU: gpu.binary

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @doubled(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                   %y: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant 2.0 : f32
  %r = linalg.generic #trait
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %two : f32
    %t = arith.addf %c, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
