// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 | FileCheck %s

// Without computations there is nothing to choose.

// CHECK: func.func @f(%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: return %[[X]]
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
