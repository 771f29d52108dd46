// Values that are narrower than the operands are widened, and what says that
// multiply-adds may be contracted is not said of that: casts of the LLVM dialect
// would keep it as an attribute that no translation knows.
// RUN: astfe-opt %s --astfe-sparsifier | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu="storage=packed" | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier | mlir-translate --mlir-to-llvmir | \
// RUN:   FileCheck %s --check-prefix=LLVM

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-NOT: llvm.fpext {{.*}}{fastmath
// CHECK: llvm.fpext
// CHECK-NOT: llvm.fpext {{.*}}{fastmath
// LLVM: fpext
func.func @spmm(%A: tensor<40x30xf32, #CSR>, %B: tensor<30x19xf64>,
                %C: tensor<40x19xf64>) -> tensor<40x19xf64> {
  %0 = linalg.matmul ins(%A, %B : tensor<40x30xf32, #CSR>, tensor<30x19xf64>)
                     outs(%C : tensor<40x19xf64>) -> tensor<40x19xf64>
  return %0 : tensor<40x19xf64>
}
