// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu=storage=packed | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true" | FileCheck %s

// A loop of the user's becomes OpenMP like ours. Its body calls a function and
// has loops, which became branches in a scope that may hold one block.

// CHECK-LABEL: llvm.func @f
// CHECK-NOT:     memref.alloca_scope

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func private @number(index) -> f64

func.func @f(%A: tensor<8x8xf64, #CSR>, %x: tensor<8xf64>,
             %y: memref<3x8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  scf.parallel (%i) = (%c0) to (%c3) step (%c1) {
    %r = linalg.matvec ins(%A, %x : tensor<8x8xf64, #CSR>, tensor<8xf64>)
                       outs(%zero : tensor<8xf64>) -> tensor<8xf64>
    %v = tensor.extract %r[%c0] : tensor<8xf64>
    %n = func.call @number(%i) : (index) -> f64
    %s = arith.addf %v, %n : f64
    memref.store %s, %y[%i, %c0] : memref<3x8xf64>
    scf.reduce
  }
  return
}
