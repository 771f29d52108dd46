// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-partition \
// RUN:   --remarks-filter=astfe-partition 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// Values that the program writes through sparse_tensor.values are read where they
// are, as packed ones would not change; to read them does not matter.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

// CHECK-LABEL: func @written
// CHECK-NOT:     astfe.partition
// REMARK:      remark: {{.*}}its values are written through sparse_tensor.values, which packed ones do not see
func.func @written(%a: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y: tensor<?xf64>, %h: f64) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %0 = linalg.matvec ins(%a, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>
  %v = sparse_tensor.values %a : tensor<?x?xf64, #CSR> to memref<?xf64>
  %part = memref.subview %v[0] [1] [1] : memref<?xf64> to memref<1xf64, strided<[1]>>
  memref.store %h, %part[%c0] : memref<1xf64, strided<[1]>>
  %1 = linalg.matvec ins(%a, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>) outs(%0 : tensor<?xf64>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}

// Where a buffer leaves the ops around it, it may be written.

// CHECK-LABEL: func @chosen
// CHECK-NOT:     astfe.partition
func.func @chosen(%a: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y: tensor<?xf64>, %h: f64, %c: i1, %other: memref<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %v = sparse_tensor.values %a : tensor<?x?xf64, #CSR> to memref<?xf64>
  %one = arith.select %c, %v, %other : memref<?xf64>
  memref.store %h, %one[%c0] : memref<?xf64>
  %1 = linalg.matvec ins(%a, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}

// CHECK-LABEL: func @returned
// CHECK-NOT:     astfe.partition
func.func @returned(%a: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, memref<?xf64>) {
  %v = sparse_tensor.values %a : tensor<?x?xf64, #CSR> to memref<?xf64>
  %1 = linalg.matvec ins(%a, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %1, %v : tensor<?xf64>, memref<?xf64>
}

// CHECK-LABEL: func @read
// CHECK:         astfe.partition
func.func @read(%a: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, f64) {
  %c0 = arith.constant 0 : index
  %0 = linalg.matvec ins(%a, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>
  %v = sparse_tensor.values %a : tensor<?x?xf64, #CSR> to memref<?xf64>
  %first = memref.load %v[%c0] : memref<?xf64>
  return %0, %first : tensor<?xf64>, f64
}
