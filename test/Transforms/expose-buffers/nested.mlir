// RUN: astfe-opt %s --astfe-expose-buffers | FileCheck %s

// A function of the same name in another module is another function: its calls
// stay.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @same(%A: tensor<8x8xf32, #CSR>) -> tensor<?xf32> {
  %v = sparse_tensor.values %A : tensor<8x8xf32, #CSR> to memref<?xf32>
  %t = bufferization.to_tensor %v restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}
module @inner {
  func.func @same(%x: i32) -> i32 {
    return %x : i32
  }
  // CHECK-LABEL: func.func @caller
  // CHECK:         call @same
  func.func @caller(%x: i32) -> i32 {
    %r = func.call @same(%x) : (i32) -> i32
    return %r : i32
  }
}
