// DEFINE: %{pipeline} = --astfe-sparsifier="enable-runtime-library=false"
// DEFINE: %{run} = astfe-opt %s %{pipeline} | FileCheck %s
// RUN: %{run}
// REDEFINE: %{pipeline} = --astfe-to-cpu=openmp=false
// RUN: %{run}
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false storage=packed" | FileCheck %s --check-prefix=PACKED
// RUN: astfe-opt %s --astfe-to-cpu="storage=packed" | FileCheck %s --check-prefix=PACKED

// Around a product loops, calls and slices have the buffers that upstream gives
// them: one for the fresh output of each trip, none for calls that write in place
// and slices. A packed matrix is packed before the loop.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

// CHECK-LABEL:  llvm.func @power(
// CHECK-COUNT-1:  llvm.call @malloc
// CHECK-NOT:      llvm.call @malloc
// CHECK:          llvm.return
// PACKED-LABEL: llvm.func @power(
// PACKED:         llvm.call @astfe_rt_pack_p32c32
// PACKED:         llvm.cond_br
// PACKED-NOT:     astfe_rt_pack_p32c32
// PACKED:         llvm.return
func.func @power(%A: tensor<2708x2708xf32, #CSR>, %x: tensor<2708x16xf32>,
                 %n: index) -> tensor<2708x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1
      iter_args(%v = %x) -> tensor<2708x16xf32> {
    %e = tensor.empty() : tensor<2708x16xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<2708x16xf32>)
      -> tensor<2708x16xf32>
    %y = linalg.matmul
      ins(%A, %v : tensor<2708x2708xf32, #CSR>, tensor<2708x16xf32>)
      outs(%f : tensor<2708x16xf32>) -> tensor<2708x16xf32>
    %k = bufferization.materialize_in_destination %y in %v
      : (tensor<2708x16xf32>, tensor<2708x16xf32>) -> tensor<2708x16xf32>
    scf.yield %k : tensor<2708x16xf32>
  }
  return %r : tensor<2708x16xf32>
}

// CHECK-LABEL:  llvm.func @inner(
// CHECK-NOT:      llvm.call @malloc
// CHECK:          llvm.return
func.func private @inner(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                         %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
    outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL:  llvm.func @outer(
// CHECK-COUNT-1:  llvm.call @malloc
// CHECK-NOT:      llvm.call @malloc
// CHECK:          llvm.return
func.func @outer(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                 %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = call @inner(%A, %B, %C)
    : (tensor<?x?xf32, #CSR>, tensor<?x?xf32>, tensor<?x?xf32>)
    -> tensor<?x?xf32>
  %s = call @inner(%A, %r, %C)
    : (tensor<?x?xf32, #CSR>, tensor<?x?xf32>, tensor<?x?xf32>)
    -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// CHECK-LABEL:  llvm.func @slice(
// CHECK-NOT:      llvm.call @malloc
// CHECK:          llvm.return
// PACKED-LABEL: llvm.func @slice(
// PACKED:         llvm.call @astfe_rt_pack_p32c32
func.func @slice(%A: tensor<8x8xf32, #CSR>, %B: tensor<8x8xf32>,
                 %C: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = tensor.extract_slice %B[0, 0] [8, 4] [1, 2]
    : tensor<8x8xf32> to tensor<8x4xf32>
  %y = linalg.matmul ins(%A, %b : tensor<8x8xf32, #CSR>, tensor<8x4xf32>)
    outs(%C : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
