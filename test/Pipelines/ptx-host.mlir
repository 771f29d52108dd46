// RUN: astfe-opt %s --astfe-to-ptx="storage=packed format=llvm host=true" | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx="storage=packed format=llvm host=true" | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM
// RUN: astfe-opt %s --astfe-to-ptx="storage=packed host=true" | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=ISA

// One module with host and device code, for the emulator or for the driver.

// CHECK-NOT:   unrealized_conversion_cast
// CHECK:       llvm.func @_mlir_ciface_spmv(
// CHECK:       gpu.binary @spmv_kernels

// LLVM:        call void @mgpuLaunchKernel(
// LLVM:        call ptr @mgpuModuleLoad(
// ISA:         call ptr @mgpuModuleLoadJIT(

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 64, crdWidth = 32
}>

func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                %y: tensor<?xf64>) -> tensor<?xf64> {
  %0 = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
                     outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
