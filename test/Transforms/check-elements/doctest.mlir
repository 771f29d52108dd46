// RUN: astfe-opt %s --split-input-file --verify-diagnostics --astfe-check-elements
// RUN: not astfe-opt %s --split-input-file --astfe-sparsifier 2>&1 | FileCheck %s
// RUN: astfe-opt %s --split-input-file --astfe-sparsifier=enable-runtime-library=false -o %t

// Upstream's pipeline crashes on these.

// CHECK:     error: 'func.func' op expected sparse elements of f64, {{.*}} but got 'i1'
// CHECK:     error: 'func.func' op expected sparse elements of f64, {{.*}} but got 'f80'
// CHECK:     error: 'tensor.empty' op expected sparse elements of f64, {{.*}} but got 'i4'
// CHECK-NOT: Stack dump

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// expected-error @+1 {{expected sparse elements of f64, f32, f16, bf16, i64, i32, i16, i8 or complex floats, which upstream's runtime library has, but got 'i1'; enable-runtime-library=false takes all}}
func.func @f(%A: tensor<8x8xi1, #CSR>) -> tensor<?xi1> {
  %v = sparse_tensor.values %A : tensor<8x8xi1, #CSR> to memref<?xi1>
  %t = bufferization.to_tensor %v restrict : memref<?xi1> to tensor<?xi1>
  return %t : tensor<?xi1>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// expected-error @+1 {{but got 'f80'}}
func.func @g(%A: tensor<8x8xf80, #CSR>, %x: tensor<8xf80>, %y: tensor<8xf80>) -> tensor<8xf80> {
  %r = linalg.matvec ins(%A, %x : tensor<8x8xf80, #CSR>, tensor<8xf80>) outs(%y : tensor<8xf80>) -> tensor<8xf80>
  return %r : tensor<8xf80>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @h() -> index {
  // expected-error @+1 {{but got 'i4'}}
  %e = tensor.empty() : tensor<8x8xi4, #CSR>
  %l = sparse_tensor.load %e hasInserts : tensor<8x8xi4, #CSR>
  %n = sparse_tensor.number_of_entries %l : tensor<8x8xi4, #CSR>
  return %n : index
}
