// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx | FileCheck %s --check-prefix=GPU
// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s --check-prefix=CPU

// A scalar operand has no map: the body reads it from outside.

// CHECK-LABEL: @scaled
// CHECK-SAME:    %[[ALPHA:[a-z0-9]+]]: f32
// CHECK:         astfe.compute
// CHECK-SAME:      maps [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}]
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[X:.*]]: f32):
// CHECK:           %[[P:.*]] = arith.mulf %[[A]], %[[X]]
// CHECK:           %[[Q:.*]] = arith.mulf %[[P]], %[[ALPHA]]
// CHECK:           astfe.yield "addf" %[[Q]]

// CPU-LABEL: llvm.func @scaled
// CPU-NOT:   astfe.

// On a GPU it is an argument of the kernel.

// GPU-LABEL: func.func @scaled
// GPU-SAME:    %[[ALPHA:[a-z0-9]+]]: f32
// GPU:         gpu.launch_func @scaled_kernels::@one_column_rows blocks
// GPU-SAME:      args({{.*}}%[[ALPHA]] : f32)
// GPU:       "scalar:0"

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {
  indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

func.func @scaled(%alpha: f32, %A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                  %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic #trait
      ins(%alpha, %A, %x : f32, tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%s: f32, %a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %s : f32
    %t = arith.addf %c, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
