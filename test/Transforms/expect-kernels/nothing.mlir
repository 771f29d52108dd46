// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe --astfe-expect-kernels | FileCheck %s

// One kernel is enough, and kernels that are there count: what other ops are left
// for the host is said by remarks.

// CHECK: gpu.module @kernels
gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.return
  }
}

// -----

// CHECK: astfe.compute
// CHECK: arith.maximumf
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @one(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x?xf32, #CSR>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
