// RUN: astfe-opt %s --astfe-check-elements | FileCheck %s

// Elements that the library has, and dense tensors of any.

// CHECK-LABEL: @f
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @f(%A: tensor<8x8xf64, #CSR>, %B: tensor<8x8xcomplex<f32>, #CSR>,
             %C: tensor<8x8xi8, #CSR>, %D: tensor<8x8xbf16, #CSR>,
             %E: tensor<8x8xi1>, %F: memref<8xf80>) {
  return
}
