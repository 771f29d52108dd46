// RUN: astfe-opt %s --astfe-expose-buffers --astfe-forward-buffers | FileCheck %s
// RUN: astfe-opt %s --astfe-forward-buffers | FileCheck %s --check-prefix=NOTHING

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed), posWidth = 64, crdWidth = 32
}>

// CHECK-LABEL: func.func @csr(
// CHECK-SAME:    %[[P:[^:]*]]: memref<?xi32>, %[[I:[^:]*]]: memref<?xi32>, %[[V:[^:]*]]: memref<?xf32>, %[[ROWS:[^:]*]]: index, %[[COLUMNS:[^:]*]]: index)
// CHECK-NOT:     sparse_tensor
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         return %[[P]], %[[I]], %[[V]], %[[ROWS]], %[[COLUMNS]]
// NOTHING-LABEL: func.func @csr(
// NOTHING:         sparse_tensor.positions
func.func @csr(%A: tensor<?x?xf32, #CSR>)
    -> (memref<?xi32>, memref<?xi32>, memref<?xf32>, index, index) {
  %p = sparse_tensor.positions %A {level = 1 : index}
    : tensor<?x?xf32, #CSR> to memref<?xi32>
  %i = sparse_tensor.coordinates %A {level = 1 : index}
    : tensor<?x?xf32, #CSR> to memref<?xi32>
  %v = sparse_tensor.values %A : tensor<?x?xf32, #CSR> to memref<?xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = sparse_tensor.lvl %A, %zero : tensor<?x?xf32, #CSR>
  %columns = sparse_tensor.lvl %A, %one : tensor<?x?xf32, #CSR>
  return %p, %i, %v, %rows, %columns
    : memref<?xi32>, memref<?xi32>, memref<?xf32>, index, index
}

// Levels are not dimensions: the first level of CSC has the columns.
// CHECK-LABEL: func.func @csc(
// CHECK-SAME:    %[[P:[^:]*]]: memref<?xi64>, %{{[^:]*}}: memref<?xi32>, %{{[^:]*}}: memref<?xf32>, %{{[^:]*}}: index, %[[COLUMNS:[^:]*]]: index)
// CHECK:         return %[[P]], %[[COLUMNS]]
func.func @csc(%A: tensor<?x?xf32, #CSC>) -> (memref<?xi64>, index) {
  %p = sparse_tensor.positions %A {level = 1 : index}
    : tensor<?x?xf32, #CSC> to memref<?xi64>
  %zero = arith.constant 0 : index
  %columns = sparse_tensor.lvl %A, %zero : tensor<?x?xf32, #CSC>
  return %p, %columns : memref<?xi64>, index
}

// A level that is not a constant, and a tensor that somebody else reads, stay.
// CHECK-LABEL: func.func @kept(
// CHECK:         %[[A:.*]] = builtin.unrealized_conversion_cast
// CHECK:         sparse_tensor.lvl %[[A]]
// CHECK:         sparse_tensor.number_of_entries %[[A]]
func.func @kept(%A: tensor<?x?xf32, #CSR>, %level: index) -> (index, index) {
  %size = sparse_tensor.lvl %A, %level : tensor<?x?xf32, #CSR>
  %n = sparse_tensor.number_of_entries %A : tensor<?x?xf32, #CSR>
  return %size, %n : index, index
}
