// RUN: astfe-opt %s --convert-linalg-to-astfe=storage=packed | FileCheck %s

// An output that is made element by element is no fill: it is read.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

// CHECK-LABEL: func.func @ttv
// CHECK:         %[[START:.*]] = linalg.generic
// CHECK:           arith.addf
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[START]]
// CHECK:         astfe.compute {{.*}}
// CHECK-NEXT:      ins({{.*}}) outs(%[[FLAT]] : tensor<12xf32>) {
func.func @ttv(%T: tensor<3x4x5xf32, #CSF>, %x: tensor<5xf32>,
               %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                       affine_map<(i, j, k) -> (k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %x : tensor<3x4x5xf32, #CSF>, tensor<5xf32>)
      outs(%start : tensor<3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
