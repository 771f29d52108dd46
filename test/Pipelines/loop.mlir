// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=false" | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu="openmp=false" | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu="openmp=false storage=packed" | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx="host" | FileCheck %s --check-prefix=GPU
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=false" \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s --check-prefix=RESULT

// Loops carry the output: each iteration works in the buffer that it gets, and
// nothing is copied.

// CHECK-LABEL: llvm.func @repeat(
// CHECK-NOT:   @memrefCopy
// CHECK-NOT:   llvm.intr.memcpy
// CHECK:       llvm.return
// CHECK-LABEL: llvm.func @nested(
// CHECK-NOT:   @memrefCopy
// CHECK-NOT:   llvm.intr.memcpy
// CHECK:       llvm.return

// GPU-LABEL: llvm.func @repeat
// GPU-NOT:   @memrefCopy
// GPU-NOT:   llvm.intr.memcpy
// GPU:       gpu.launch_func

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @repeat(%n: index, %A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                  %y: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %y) -> tensor<?xf64> {
    %r = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
                       outs(%acc : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %r : tensor<?xf64>
  }
  return %s : tensor<?xf64>
}

// Two products in a row, in a loop in a loop, with a static extent.

func.func @nested(%n: index, %A: tensor<3x4xf64, #CSR>, %x: tensor<4xf64>,
                  %y: tensor<3xf64>) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %y)
      -> tensor<3xf64> {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer)
        -> tensor<3xf64> {
      %1 = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                         outs(%inner : tensor<3xf64>) -> tensor<3xf64>
      %2 = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                         outs(%1 : tensor<3xf64>) -> tensor<3xf64>
      scf.yield %2 : tensor<3xf64>
    }
    scf.yield %t : tensor<3xf64>
  }
  return %s : tensor<3xf64>
}

// Two products with one initial value, and products in a loop that all begin with
// it: all have copies but the last.

func.func @same(%A: tensor<3x4xf64, #CSR>, %x: tensor<4xf64>,
                %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %1 = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                     outs(%y : tensor<3xf64>) -> tensor<3xf64>
  %2 = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                     outs(%y : tensor<3xf64>) -> tensor<3xf64>
  return %1, %2 : tensor<3xf64>, tensor<3xf64>
}

func.func @again(%n: index, %A: tensor<3x4xf64, #CSR>, %x: tensor<4xf64>,
                 %y: tensor<3xf64>, %last: memref<3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                       outs(%y : tensor<3xf64>) -> tensor<3xf64>
    bufferization.materialize_in_destination %r in restrict writable %last
      : (tensor<3xf64>, memref<3xf64>) -> ()
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %f0 = arith.constant 0.0 : f64
  %dense = arith.constant dense<[[1.0, 0.0, 2.0, 0.0],
                                 [0.0, 0.0, 0.0, 0.0],
                                 [0.0, 3.0, 0.0, 4.0]]> : tensor<3x4xf64>
  %x = arith.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf64>
  %one = arith.constant dense<1.0> : tensor<3xf64>
  %A = sparse_tensor.convert %dense : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %A1 = tensor.cast %A : tensor<3x4xf64, #CSR> to tensor<?x?xf64, #CSR>
  %x1 = tensor.cast %x : tensor<4xf64> to tensor<?xf64>
  %y1 = tensor.cast %one : tensor<3xf64> to tensor<?xf64>
  // RESULT: ( 604, 1, 12091 )
  %0 = call @repeat(%c3, %A1, %x1, %y1)
    : (index, tensor<?x?xf64, #CSR>, tensor<?xf64>, tensor<?xf64>)
    -> tensor<?xf64>
  %v = vector.transfer_read %0[%c0], %f0 : tensor<?xf64>, vector<3xf64>
  vector.print %v : vector<3xf64>
  // RESULT-NEXT: ( 3619, 1, 72541 )
  %1 = call @nested(%c3, %A, %x, %one)
    : (index, tensor<3x4xf64, #CSR>, tensor<4xf64>, tensor<3xf64>)
    -> tensor<3xf64>
  %w = vector.transfer_read %1[%c0], %f0 : tensor<3xf64>, vector<3xf64>
  vector.print %w : vector<3xf64>
  // RESULT-NEXT: ( 202, 1, 4031 )
  // RESULT-NEXT: ( 202, 1, 4031 )
  %2:2 = call @same(%A, %x, %one)
    : (tensor<3x4xf64, #CSR>, tensor<4xf64>, tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xf64>)
  %w0 = vector.transfer_read %2#0[%c0], %f0 : tensor<3xf64>, vector<3xf64>
  vector.print %w0 : vector<3xf64>
  %w1 = vector.transfer_read %2#1[%c0], %f0 : tensor<3xf64>, vector<3xf64>
  vector.print %w1 : vector<3xf64>
  // RESULT-NEXT: ( 202, 1, 4031 )
  %last = memref.alloc() : memref<3xf64>
  call @again(%c3, %A, %x, %one, %last)
    : (index, tensor<3x4xf64, #CSR>, tensor<4xf64>, tensor<3xf64>,
       memref<3xf64>) -> ()
  %w2 = vector.transfer_read %last[%c0], %f0 : memref<3xf64>, vector<3xf64>
  vector.print %w2 : vector<3xf64>
  return
}
