// RUN: astfe-opt %s --astfe-to-cpu=storage=packed --mlir-print-ir-before=astfe-expose-buffers -o /dev/null 2>&1 | FileCheck %s

// A matrix that no trip of the loop changes is partitioned and packed once.

// CHECK-LABEL: func.func @each
// CHECK:         astfe.profile
// CHECK:         astfe.partition
// CHECK:         astfe.fuse
// CHECK:         astfe.pack
// CHECK:         scf.for
// CHECK-NOT:     astfe.pack
// CHECK:         astfe.compute
// CHECK:         bufferization.materialize_in_destination

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @each(%A: tensor<?x32xf32, #CSR>, %X: tensor<?x32xf32>,
                %start: tensor<?xf32>, %results: memref<?xf32>, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %count step %c1 {
    %x = tensor.extract_slice %X[%i, 0] [1, 32] [1, 1]
      : tensor<?x32xf32> to tensor<32xf32>
    %y = linalg.matvec ins(%A, %x : tensor<?x32xf32, #CSR>, tensor<32xf32>)
                       outs(%start : tensor<?xf32>) -> tensor<?xf32>
    bufferization.materialize_in_destination %y in restrict writable %results
      : (tensor<?xf32>, memref<?xf32>) -> ()
  }
  return
}
