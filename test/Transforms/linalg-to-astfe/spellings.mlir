// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe | FileCheck %s

// Any spelling of the same product is raised to the same computation.

#CSC32 = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed), posWidth = 32, crdWidth = 32
}>

// CHECK-LABEL: func.func @matvec_csc_static
// CHECK:         astfe.pack %{{.*}} : tensor<4x8xf64, #{{.*}}> -> !astfe.blocked<4x8, #{{.*}}>
// CHECK:         astfe.compute
// CHECK-NOT:     linalg
func.func @matvec_csc_static(%A: tensor<4x8xf64, #CSC32>, %x: tensor<8xf64>,
                             %y: tensor<4xf64>) -> tensor<4xf64> {
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf64, #CSC32>, tensor<8xf64>)
                     outs(%y : tensor<4xf64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 64, crdWidth = 32
}>
#A = affine_map<(k, j, i) -> (i, k)>
#B = affine_map<(k, j, i) -> (k, j)>
#C = affine_map<(k, j, i) -> (i, j)>

// Loops in another order, operands swapped, the sum written the other way.

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-LABEL: func.func @generic
// CHECK:         astfe.compute over %{{.*}} maps [#[[N]], #[[IN]], #[[OUT]]]
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[B]], %[[A]]
// CHECK-NEXT:      astfe.yield "addf" %[[M]]
func.func @generic(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                   %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {
      indexing_maps = [#B, #A, #C],
      iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%B, %A : tensor<?x?xf32>, tensor<?x?xf32, #CSR>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%b: f32, %a: f32, %c: f32):
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// A body with a fused producer: y_i += (a_ik / s_i - 0.5 a_ik) x_k.

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func.func @fused_body
// CHECK:         astfe.compute over %{{.*}} maps [#{{.*}}, #[[ROW]], #[[COLUMN]], #[[ROW]]]
// CHECK:           arith.divf
// CHECK:           arith.mulf
// CHECK:           arith.subf
// CHECK:           arith.mulf
// CHECK-NEXT:      astfe.yield "addf"
func.func @fused_body(%A: tensor<?x?xf32, #CSR>, %s: tensor<?xf32>,
                      %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %half = arith.constant 0.5 : f32
  %r = linalg.generic {
      indexing_maps = [#A, #row, #col, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %s, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %si: f32, %xk: f32, %yi: f32):
    %q = arith.divf %a, %si : f32
    %h = arith.mulf %half, %a : f32
    %d = arith.subf %q, %h : f32
    %p = arith.mulf %d, %xk : f32
    %t = arith.addf %yi, %p : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>
#A = affine_map<(j, i, k) -> (i, j)>
#B = affine_map<(j, i, k) -> (i, k)>
#C = affine_map<(j, i, k) -> (j, k)>

// A transposed: the output is indexed by the coordinates of the same pattern.

// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-LABEL: func.func @transposed
// CHECK:         astfe.compute over %{{.*}} maps [#{{.*}}, #[[IN]], #[[OUT]]]
func.func @transposed(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
                      %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.generic {
      indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
