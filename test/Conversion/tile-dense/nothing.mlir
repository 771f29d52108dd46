// RUN: astfe-opt %s --astfe-tile-dense | FileCheck %s

// What is no sum of floats into a matrix with columns side by side stays.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn],
            iterator_types = ["parallel", "parallel", "reduction"]}
#transposed = {indexing_maps = [#mk, #nk, #mn],
               iterator_types = ["parallel", "parallel", "reduction"]}

// CHECK-LABEL: @integers
// CHECK:       linalg.matmul
func.func @integers(%A: memref<4x4xi32>, %B: memref<4x4xi32>, %C: memref<4x4xi32>) {
  linalg.matmul ins(%A, %B : memref<4x4xi32>, memref<4x4xi32>)
                outs(%C : memref<4x4xi32>)
  return
}

// CHECK-LABEL: @maxima
// CHECK:       linalg.generic
func.func @maxima(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic #product ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>)
                          outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.maximumf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The right operand's columns are its rows.

// CHECK-LABEL: @apart
// CHECK:       linalg.generic
func.func @apart(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic #transposed ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>)
                             outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @strided
// CHECK:       linalg.matmul
func.func @strided(%A: memref<4x4xf32>, %B: memref<4x4xf32, strided<[8, 2]>>,
                   %C: memref<4x4xf32>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32, strided<[8, 2]>>)
                outs(%C : memref<4x4xf32>)
  return
}

// The body reads what is summed twice.

// CHECK-LABEL: @twice
// CHECK:       linalg.generic
func.func @twice(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic #product ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>)
                          outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: @tensors
// CHECK:       linalg.matmul
func.func @tensors(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>,
                   %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>)
                     outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
