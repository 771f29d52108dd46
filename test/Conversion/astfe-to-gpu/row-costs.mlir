// RUN: astfe-opt %s --astfe-to-ptx="storage=view index-bits=32 format=llvm" \
// RUN:   --astfe-emit-kernels=directory=%t -o /dev/null
// RUN: llvm-dis %t/spmm_kernels.bc -o - | FileCheck %s

// A view's rows are shared by their cost, a few for each row beside its
// nonzeros: more than 32 bits hold where there are 2^30 rows.

// CHECK:     define {{.*}}@tile128(
// CHECK:     zext i32 %{{.*}} to i64
// CHECK:     {{mul|shl}} nuw nsw i64
// CHECK:     udiv i64

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x128xf32>)
    outs(%C : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
