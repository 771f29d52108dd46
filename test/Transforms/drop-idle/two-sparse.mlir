// RUN: astfe-opt %s --astfe-drop-idle | FileCheck %s

// What reads another sparse operand beside a reshaped one is left to upstream,
// whose code it gets, as it was.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: func @two_sparse
// CHECK:         %[[D:.*]] = tensor.expand_shape
// CHECK:         linalg.generic {{.*}} ins(%[[D]],
func.func @two_sparse(%A: tensor<5x6xf64, #CSR>, %B: tensor<6x4xf64, #CSR>,
                      %C: tensor<5x4xf64>) -> tensor<5x4xf64> {
  %D = tensor.expand_shape %A [[0], [1]] output_shape [5, 6]
    : tensor<5x6xf64, #CSR> into tensor<5x6xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%D, %B : tensor<5x6xf64>, tensor<6x4xf64, #CSR>)
      outs(%C : tensor<5x4xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    linalg.yield %s : f64
  } -> tensor<5x4xf64>
  return %r : tensor<5x4xf64>
}
