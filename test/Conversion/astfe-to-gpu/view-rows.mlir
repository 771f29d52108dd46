// RUN: astfe-opt %s --astfe-to-ptx="storage=view index-bits=32 format=llvm" \
// RUN:   --astfe-emit-kernels=directory=%t -o /dev/null
// RUN: llvm-dis %t/spmm_kernels.bc -o - | FileCheck %s

// Where a row takes a whole warp, a warp takes a row: its bounds are two loads
// that wait for nothing, and no share is searched for.

// CHECK:     define {{.*}}@tile128(
// CHECK-NOT: vote
// CHECK-NOT: udiv
// CHECK:     load i32
// CHECK:     load i32
// CHECK-NOT: vote
// CHECK-NOT: udiv
// CHECK:     ret void

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x128xf32>)
    outs(%C : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
