// RUN: astfe-opt %s --astfe-expose-buffers | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed)
}>

// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[POS:[^:]*]]: memref<?xi32>, %[[CRD:[^:]*]]: memref<?xi32>,
// CHECK-SAME:    %[[VAL:[^:]*]]: memref<?xf32>, %[[ROWS:[^:]*]]: index, %[[COLS:[^:]*]]: index,
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32> {bufferization.writable = true}) -> tensor<?xf32>
// CHECK-SAME:    attributes {llvm.emit_c_interface}
// CHECK:         storage_specifier.set %{{.*}} lvl_sz at 0 with %[[ROWS]]
// CHECK:         storage_specifier.set %{{.*}} lvl_sz at 1 with %[[COLS]]
// CHECK:         storage_specifier.set %{{.*}} pos_mem_sz at 1
// CHECK:         storage_specifier.set %{{.*}} crd_mem_sz at 1
// CHECK:         %[[S:.*]] = sparse_tensor.storage_specifier.set %{{.*}} val_mem_sz
// CHECK:         %[[A:.*]] = builtin.unrealized_conversion_cast %[[POS]], %[[CRD]], %[[VAL]], %[[S]]
// CHECK:         %[[R:.*]] = linalg.matvec ins(%[[A]], %[[X]] : {{.*}}) outs(%[[Y]] : tensor<?xf32>)
// CHECK:         return %[[R]]
func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32> {bufferization.writable = true})
    -> tensor<?xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The storage of a CSC matrix begins with its columns; the entry's sizes are
// rows, columns all the same.

// CHECK-LABEL: func.func @csc(
// CHECK-SAME:    %{{.*}}: memref<?xindex>, %{{.*}}: memref<?xindex>, %{{.*}}: memref<?xf64>,
// CHECK-SAME:    %[[ROWS:[^:]*]]: index, %[[COLS:[^:]*]]: index,
// CHECK:         storage_specifier.set %{{.*}} lvl_sz at 0 with %[[COLS]]
// CHECK:         storage_specifier.set %{{.*}} lvl_sz at 1 with %[[ROWS]]
func.func @csc(%A: tensor<?x?xf64, #CSC>, %x: tensor<?xf64>,
               %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSC>, tensor<?xf64>)
                     outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// Calls in the module are inlined.

// CHECK-LABEL: func.func private @caller
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{[a-z0-9]*}}>, %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[R:.*]] = linalg.matvec ins(%[[A]], %[[X]] : {{.*}}) outs(%[[Y]] : tensor<?xf32>)
// CHECK-NEXT:    return %[[R]]
func.func private @caller(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                          %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @spmv(%A, %x, %y)
    : (tensor<?x?xf32, #CSR>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Where that is impossible they go on calling on tensors.

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %{{.*}}: memref<?xi32>
// CHECK-LABEL: func.func private @_internal_blocks(
// CHECK-SAME:    %{{.*}}: tensor<?x?xf32, #{{.*}}>)
func.func @blocks(%A: tensor<?x?xf32, #CSR>) {
  cf.br ^end
^end:
  return
}

// CHECK-LABEL: func.func private @calls_blocks
// CHECK:         call @_internal_blocks
func.func private @calls_blocks(%A: tensor<?x?xf32, #CSR>) {
  call @blocks(%A) : (tensor<?x?xf32, #CSR>) -> ()
  return
}
