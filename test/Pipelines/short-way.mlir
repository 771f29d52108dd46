// RUN: astfe-opt %s --split-input-file --astfe-to-cpu="storage=packed split-inspector" --mlir-print-ir-before=one-shot-bufferize --mlir-print-ir-before=sparsification-and-bufferization --mlir-print-ir-module-scope --mlir-disable-threading 2>&1 | FileCheck %s
// RUN: astfe-opt %s --split-input-file --astfe-to-cpu="storage=packed split-inspector" | FileCheck %s --check-prefix=LLVM

// Nothing sparse is left of a product: upstream's sparsifier is not asked.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
// CHECK-NOT:   Before SparsificationAndBufferization
// CHECK:       Before OneShotBufferizePass
// CHECK:       func.func @product
// LLVM-LABEL:  llvm.func @product
// LLVM-LABEL:  llvm.func @_mlir_ciface_product(
// LLVM-LABEL:  llvm.func @product_prepare
// LLVM-LABEL:  llvm.func @product_run
// LLVM:          omp.parallel
// LLVM:            omp.wsloop nowait
func.func @product(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x5xf32>,
                   %C: tensor<?x5xf32> {bufferization.writable = true})
    -> tensor<?x5xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x5xf32>)
      outs(%C : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

// A sum over all nonzeros is not raised: it is upstream's.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
// CHECK-NOT:   Before OneShotBufferizePass
// CHECK:       Before SparsificationAndBufferization
// CHECK:       func.func @sum
// LLVM-LABEL:  llvm.func @sum
#trait = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
  iterator_types = ["reduction", "reduction"]
}
func.func @sum(%A: tensor<?x?xcomplex<f32>, #CSR>,
               %x: tensor<complex<f32>> {bufferization.writable = true})
    -> tensor<complex<f32>> {
  %0 = linalg.generic #trait
      ins(%A : tensor<?x?xcomplex<f32>, #CSR>) outs(%x : tensor<complex<f32>>) {
  ^bb0(%a: complex<f32>, %s: complex<f32>):
    %t = complex.add %s, %a : complex<f32>
    linalg.yield %t : complex<f32>
  } -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
