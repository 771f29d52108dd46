// RUN: astfe-opt %s --astfe-to-cpu=storage=packed --mlir-print-ir-before=astfe-expose-buffers -o /dev/null 2>&1 | FileCheck %s

// A matrix that no trip of the loop changes is partitioned and packed once.

// CHECK-LABEL: func.func @sum
// CHECK:         astfe.profile
// CHECK:         astfe.partition
// CHECK:         astfe.fuse
// CHECK:         astfe.pack
// CHECK:         astfe.values
// CHECK:         scf.for
// CHECK-NOT:     astfe.pack
// CHECK:         astfe.compute
// CHECK:         scf.yield

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @sum(%A: tensor<?x32xf32, #CSR>, %X: tensor<?x32xf32>,
               %y: tensor<?xf32>, %count: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %count step %c1
      iter_args(%z = %y) -> tensor<?xf32> {
    %x = tensor.extract_slice %X[%i, 0] [1, 32] [1, 1]
      : tensor<?x32xf32> to tensor<32xf32>
    %w = linalg.matvec ins(%A, %x : tensor<?x32xf32, #CSR>, tensor<32xf32>)
                       outs(%z : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
