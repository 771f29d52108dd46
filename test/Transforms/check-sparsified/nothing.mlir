// RUN: astfe-opt %s --astfe-check-sparsified | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu -o %t

// Dense ops are no business of sparsification, nor is what nobody reads.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
// CHECK: linalg.matvec
// CHECK: arith.minsi
func.func @dense(%A: tensor<4x4xi32>, %S: tensor<4x4xi32, #CSR>,
                 %x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.matvec ins(%A, %x : tensor<4x4xi32>, tensor<4xi32>)
      outs(%y : tensor<4xi32>) -> tensor<4xi32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%S : tensor<4x4xi32, #CSR>) outs(%y : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %m = arith.minsi %a, %b : i32
    linalg.yield %m : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
