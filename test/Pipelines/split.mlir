// RUN: astfe-opt %s --astfe-to-cpu="storage=packed split-inspector" | FileCheck %s

// The functions of docs/Pipelines.md. @spmm has both inlined, so that its dense
// operands are not copied, and releases its pattern.

// CHECK-LABEL: llvm.func @spmm(
// CHECK:         %[[P:.*]] = llvm.call @astfe_rt_pack_p32c32(
// CHECK:         llvm.call @astfe_rt_release(%[[P]])
// CHECK:       llvm.func @_mlir_ciface_spmm(

// CHECK:       llvm.func @_mlir_ciface_spmm_prepare(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64) -> !llvm.ptr
// CHECK:       llvm.func @_mlir_ciface_spmm_run(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr)
// CHECK-NOT:   _internal_

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                     outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
