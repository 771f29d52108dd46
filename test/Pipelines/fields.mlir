// RUN: astfe-opt %s --astfe-to-cpu="storage=packed split-inspector" | FileCheck %s

// Parallel regions are handed the addresses that they read, not descriptors of
// buffers: nothing takes a field out of one inside.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
// CHECK-LABEL: llvm.func @product_run(
// CHECK:         omp.parallel
// CHECK-NOT:       llvm.extractvalue
// CHECK:           omp.terminator
// CHECK:         omp.parallel
// CHECK-NOT:       llvm.extractvalue
// CHECK:           omp.terminator
// CHECK:         llvm.return
func.func @product(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                   %C: tensor<?x32xf32> {bufferization.writable = true})
    -> tensor<?x32xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
