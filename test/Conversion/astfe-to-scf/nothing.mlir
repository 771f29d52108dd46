// RUN: astfe-opt %s --convert-astfe-to-scf | FileCheck %s

// Without ops of the dialect nothing changes.

// CHECK-LABEL: func.func @matmul
// CHECK-NEXT:    linalg.matmul
// CHECK-NEXT:    return
func.func @matmul(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>,
                  %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>)
                     outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
