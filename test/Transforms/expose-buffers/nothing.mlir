// RUN: astfe-opt %s --astfe-expose-buffers --remarks-filter='.*' \
// RUN:   --remark-policy=all --verify-diagnostics | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#slice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 4, 1)>, j : #sparse_tensor<slice(0, 6, 1)>)
    -> (i : dense, j : compressed)
}>

// CHECK-NOT: _internal_

// CHECK: func.func @dense(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {llvm.emit_c_interface}
func.func @dense(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// CHECK: func.func private @unseen(%{{.*}}: tensor<4x4xf32, #{{.*}}>) {
func.func private @unseen(%A: tensor<4x4xf32, #CSR>) {
  return
}

// CHECK: func.func private @external(tensor<4x4xf32, #{{.*}}>)
func.func private @external(tensor<4x4xf32, #CSR>)

// CHECK: func.func @result(%{{.*}}: tensor<4x4xf32, #{{.*}}>) -> tensor<4x4xf32, #{{.*}}> {
// expected-remark @below {{a result is sparse}}
func.func @result(%A: tensor<4x4xf32, #CSR>) -> tensor<4x4xf32, #CSR> {
  return %A : tensor<4x4xf32, #CSR>
}

// CHECK: func.func @slice(%{{.*}}: tensor<4x6xf32, #{{.*}}>) {
// expected-remark @below {{an argument is stored in slices or batches}}
func.func @slice(%A: tensor<4x6xf32, #slice>) {
  return
}
