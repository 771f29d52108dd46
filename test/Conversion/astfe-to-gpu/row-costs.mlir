// RUN: astfe-opt %s --astfe-to-ptx="storage=view index-bits=32 format=llvm" \
// RUN:   --mlir-print-ir-after=convert-astfe-to-gpu -o /dev/null 2>&1 | FileCheck %s

// What a view scatters is shared by its cost, a few for each row beside its
// nonzeros: more than 32 bits hold where there are 2^30 rows.

// CHECK: gpu.func @tile128(
// CHECK: %[[ROWS:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: arith.muli %[[ROWS]], %{{.*}} : i64
// CHECK: arith.divui %{{.*}} : i64

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed),
                                posWidth = 32, crdWidth = 32}>
func.func @spmm(%A: tensor<?x?xf32, #CSC>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<?x?xf32, #CSC>, tensor<?x128xf32>)
    outs(%C : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
