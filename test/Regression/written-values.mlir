// UNSUPPORTED: asan
// (mlir-runner cannot load what the sanitizer was built into)
// DEFINE: %{levels} = i : compressed(nonunique), j : singleton
// DEFINE: %{options} = enable-runtime-library=false storage=packed
// DEFINE: %{print} = mlir-runner -e main -entry-point-result=void \
// DEFINE:   -shared-libs=%llvm_lib/libmlir_c_runner_utils.so,%astfe_lib/libastfe_runtime.so \
// DEFINE:   | FileCheck %s
// DEFINE: %{run} = sed -e 's/LEVELS/%{levels}/' %s \
// DEFINE:   | astfe-opt --astfe-sparsifier="%{options}" | %{print}
// DEFINE: %{upstream} = sed -e 's/LEVELS/%{levels}/' %s \
// DEFINE:   | mlir-opt --sparsifier="enable-runtime-library=false" | %{print}
// RUN: %{run}
// RUN: %{upstream}
// REDEFINE: %{options} = storage=packed
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false storage=view
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false storage=packed
// REDEFINE: %{levels} = i : compressed, j : compressed
// RUN: %{run}
// RUN: %{upstream}
// REDEFINE: %{levels} = i : dense, j : compressed
// RUN: %{run}
// RUN: %{upstream}
// REDEFINE: %{levels} = j : dense, i : compressed
// RUN: %{run}
// RUN: %{upstream}
// REDEFINE: %{levels} = i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense
// RUN: %{run}
// RUN: %{upstream}

// A program writes the values of a matrix where they are stored, before the first
// product over it and between others: by a store, by a linalg op on the buffer, in
// functions that get the buffer or the matrix, and in a loop. Each product reads
// the values as they are then. The products are those of functions, too, that get
// the matrix.

#S = #sparse_tensor.encoding<{map = (i, j) -> (LEVELS)}>
#v = {indexing_maps = [affine_map<(n) -> (n)>], iterator_types = ["parallel"]}

func.func private @print(%x: tensor<4x2xf64>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f64
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<4x2xf64> into tensor<8xf64>
  %v = vector.transfer_read %y[%c0], %f0 : tensor<8xf64>, vector<8xf64>
  vector.print %v : vector<8xf64>
  return
}

func.func private @scale(%v: memref<?xf64>, %by: f64) {
  linalg.generic #v outs(%v : memref<?xf64>) {
  ^bb0(%a: f64):
    %s = arith.mulf %a, %by : f64
    linalg.yield %s : f64
  }
  return
}

func.func private @scaleMatrix(%A: tensor<4x4xf64, #S>, %by: f64) {
  %v = sparse_tensor.values %A : tensor<4x4xf64, #S> to memref<?xf64>
  call @scale(%v, %by) : (memref<?xf64>, f64) -> ()
  return
}

func.func private @product(%A: tensor<4x4xf64, #S>, %B: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x2xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<4x2xf64>) -> tensor<4x2xf64>
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf64, #S>, tensor<4x2xf64>)
                     outs(%z : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %r : tensor<4x2xf64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %ten = arith.constant 10.0 : f64
  %dense = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [2.0, 3.0, 0.0, 0.0],
                                 [0.0, 0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 5.0]]> : tensor<4x4xf64>
  %B = arith.constant dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]> : tensor<4x2xf64>
  %A = sparse_tensor.convert %dense : tensor<4x4xf64> to tensor<4x4xf64, #S>
  %v = sparse_tensor.values %A : tensor<4x4xf64, #S> to memref<?xf64>

  memref.store %ten, %v[%c0] : memref<?xf64>
  %e0 = tensor.empty() : tensor<4x2xf64>
  %z0 = linalg.fill ins(%zero : f64) outs(%e0 : tensor<4x2xf64>) -> tensor<4x2xf64>
  %r0 = linalg.matmul ins(%A, %B : tensor<4x4xf64, #S>, tensor<4x2xf64>)
                      outs(%z0 : tensor<4x2xf64>) -> tensor<4x2xf64>
  // CHECK:      ( 10, 20, 5, 10, 4, 8, 5, 10 )
  call @print(%r0) : (tensor<4x2xf64>) -> ()

  linalg.generic #v outs(%v : memref<?xf64>) {
  ^bb0(%a: f64):
    %s = arith.mulf %a, %two : f64
    linalg.yield %s : f64
  }
  %e1 = tensor.empty() : tensor<4x2xf64>
  %z1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<4x2xf64>) -> tensor<4x2xf64>
  %r1 = linalg.matmul ins(%A, %B : tensor<4x4xf64, #S>, tensor<4x2xf64>)
                      outs(%z1 : tensor<4x2xf64>) -> tensor<4x2xf64>
  // CHECK-NEXT: ( 20, 40, 10, 20, 8, 16, 10, 20 )
  call @print(%r1) : (tensor<4x2xf64>) -> ()

  call @scale(%v, %ten) : (memref<?xf64>, f64) -> ()
  %e2 = tensor.empty() : tensor<4x2xf64>
  %z2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<4x2xf64>) -> tensor<4x2xf64>
  %r2 = linalg.matmul ins(%A, %B : tensor<4x4xf64, #S>, tensor<4x2xf64>)
                      outs(%z2 : tensor<4x2xf64>) -> tensor<4x2xf64>
  // CHECK-NEXT: ( 200, 400, 100, 200, 80, 160, 100, 200 )
  call @print(%r2) : (tensor<4x2xf64>) -> ()

  %r3 = call @product(%A, %B)
    : (tensor<4x4xf64, #S>, tensor<4x2xf64>) -> tensor<4x2xf64>
  call @scaleMatrix(%A, %two) : (tensor<4x4xf64, #S>, f64) -> ()
  %r4 = call @product(%A, %B)
    : (tensor<4x4xf64, #S>, tensor<4x2xf64>) -> tensor<4x2xf64>
  // CHECK-NEXT: ( 200, 400, 100, 200, 80, 160, 100, 200 )
  call @print(%r3) : (tensor<4x2xf64>) -> ()
  // CHECK-NEXT: ( 400, 800, 200, 400, 160, 320, 200, 400 )
  call @print(%r4) : (tensor<4x2xf64>) -> ()

  %e5 = tensor.empty() : tensor<4x2xf64>
  %z5 = linalg.fill ins(%zero : f64) outs(%e5 : tensor<4x2xf64>) -> tensor<4x2xf64>
  %r5 = scf.for %t = %c0 to %c3 step %c1 iter_args(%r = %z5) -> tensor<4x2xf64> {
    %s = linalg.matmul ins(%A, %B : tensor<4x4xf64, #S>, tensor<4x2xf64>)
                       outs(%r : tensor<4x2xf64>) -> tensor<4x2xf64>
    memref.store %ten, %v[%c0] : memref<?xf64>
    scf.yield %s : tensor<4x2xf64>
  }
  // CHECK-NEXT: ( 420, 840, 600, 1200, 480, 960, 600, 1200 )
  call @print(%r5) : (tensor<4x2xf64>) -> ()
  bufferization.dealloc_tensor %A : tensor<4x4xf64, #S>
  return
}
