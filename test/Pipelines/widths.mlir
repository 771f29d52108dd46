// RUN: astfe-opt %s --astfe-to-cpu=storage=packed | FileCheck %s

// Products of other widths over one matrix share a pattern, which is packed once.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

// CHECK-LABEL: llvm.func @layers(
// CHECK-COUNT-1: llvm.call @astfe_rt_pack_p32c32(
// CHECK-NOT:     llvm.call @astfe_rt_pack_p32c32(
// CHECK:         llvm.return
func.func @layers(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x16xf32>,
                  %C: tensor<?x16xf32>, %D: tensor<?x7xf32>,
                  %E: tensor<?x7xf32>)
    -> (tensor<?x16xf32>, tensor<?x7xf32>) {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x16xf32>)
                     outs(%C : tensor<?x16xf32>) -> tensor<?x16xf32>
  %s = linalg.matmul ins(%A, %D : tensor<?x?xf32, #CSR>, tensor<?x7xf32>)
                     outs(%E : tensor<?x7xf32>) -> tensor<?x7xf32>
  return %r, %s : tensor<?x16xf32>, tensor<?x7xf32>
}
