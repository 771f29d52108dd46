// RUN: astfe-opt %s --split-input-file --pre-sparsification-rewrite --convert-linalg-to-astfe | FileCheck %s

// Outputs with the pattern of the sparse input: one value a nonzero, put back
// into that pattern.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#S = affine_map<(i, j, k) -> (i, j)>
#X = affine_map<(i, j, k) -> (i, k)>
#Y = affine_map<(i, j, k) -> (j, k)>

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-DAG: #[[IK:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[JK:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-LABEL: func.func @sddmm
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK:         %[[P:.*]] = astfe.pack %[[A]]
// CHECK:         %[[V:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[V]]
// CHECK:         %[[E:.*]] = tensor.empty(%[[SIZE]]) : tensor<?xf32>
// CHECK:         %[[R:.*]] = astfe.compute over %[[P]] {{.*}} maps [#[[N]], #[[IK]], #[[JK]], #[[N]]]
// CHECK-NEXT:      outs(%[[E]] : tensor<?xf32>) overwrite
// CHECK:         %[[U:.*]] = astfe.unpack %[[R]] in %[[P]] like %[[A]]
// CHECK:         return %[[U]]
func.func @sddmm(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x64xf32>,
                 %Y: tensor<?x64xf32>) -> tensor<?x?xf32, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf32, #CSR>
  %n = tensor.dim %A, %c1 : tensor<?x?xf32, #CSR>
  %E = tensor.empty(%m, %n) : tensor<?x?xf32, #CSR>
  %r = linalg.generic {indexing_maps = [#S, #X, #Y, #S],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %X, %Y : tensor<?x?xf32, #CSR>, tensor<?x64xf32>,
                       tensor<?x64xf32>)
      outs(%E : tensor<?x?xf32, #CSR>) {
  ^bb0(%a: f32, %x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %a, %p : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32, #CSR>
  return %r : tensor<?x?xf32, #CSR>
}

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#S = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Elementwise: nothing is added, each stored entry is written.

// CHECK-LABEL: func.func @scaled
// CHECK:         astfe.compute
// CHECK-NEXT:      outs({{.*}}) overwrite
// CHECK:           arith.mulf
// CHECK-NEXT:      astfe.yield "addf"
// CHECK:         astfe.unpack
func.func @scaled(%A: tensor<8x8xf64, #CSC>, %d: tensor<8xf64>)
    -> tensor<8x8xf64, #CSC> {
  %E = tensor.empty() : tensor<8x8xf64, #CSC>
  %r = linalg.generic {indexing_maps = [#S, #row, #S],
      iterator_types = ["parallel", "parallel"]}
      ins(%A, %d : tensor<8x8xf64, #CSC>, tensor<8xf64>)
      outs(%E : tensor<8x8xf64, #CSC>) {
  ^bb0(%a: f64, %x: f64, %s: f64):
    %p = arith.mulf %a, %x : f64
    linalg.yield %p : f64
  } -> tensor<8x8xf64, #CSC>
  return %r : tensor<8x8xf64, #CSC>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k, j) -> (i, k)>
#B = affine_map<(i, k, j) -> (k, j)>
#C = affine_map<(i, k, j) -> (i, j)>
#S = affine_map<(i, j) -> (i, j)>

// A dense product that is sampled afterwards is one op for upstream, and so for
// us.

// CHECK-LABEL: func.func @fused
// CHECK-NOT:     linalg.generic
// CHECK:         astfe.compute
// CHECK:         astfe.unpack
func.func @fused(%A: tensor<8x8xf64, #CSR>, %X: tensor<8x4xf64>,
                 %Y: tensor<8x4xf64>) -> tensor<8x8xf64, #CSR> {
  %zero = arith.constant dense<0.0> : tensor<8x8xf64>
  %d = linalg.generic {indexing_maps = [
        affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
        affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%X, %Y : tensor<8x4xf64>, tensor<8x4xf64>)
      outs(%zero : tensor<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %c: f64):
    %p = arith.mulf %x, %y : f64
    %s = arith.addf %c, %p : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  %E = tensor.empty() : tensor<8x8xf64, #CSR>
  %r = linalg.generic {indexing_maps = [#S, #S, #S],
      iterator_types = ["parallel", "parallel"]}
      ins(%d, %A : tensor<8x8xf64>, tensor<8x8xf64, #CSR>)
      outs(%E : tensor<8x8xf64, #CSR>) {
  ^bb0(%x: f64, %a: f64, %s: f64):
    %p = arith.mulf %x, %a : f64
    linalg.yield %p : f64
  } -> tensor<8x8xf64, #CSR>
  return %r : tensor<8x8xf64, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>

// Two operands with one pattern: scaled values and those that they were made of.

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func.func @two_of_one_pattern
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK:         %[[S:.*]] = astfe.unpack
// CHECK:         %[[P:.*]] = astfe.pack %[[S]]
// CHECK-DAG:     %[[V:.*]] = astfe.values %[[S]] in %[[P]]
// CHECK-DAG:     %[[W:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK:         astfe.compute over %[[P]] {{.*}} maps [#[[N]], #[[N]], #[[N]]]
// CHECK-NEXT:      ins(%[[V]], %[[W]] :
// CHECK:           arith.addf
func.func @two_of_one_pattern(%A: tensor<8x8xf32, #CSR>, %c: f32)
    -> tensor<8x8xf32, #CSR> {
  %E = tensor.empty() : tensor<8x8xf32, #CSR>
  %s = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<8x8xf32, #CSR>) outs(%E : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32, #CSR>
  %F = tensor.empty() : tensor<8x8xf32, #CSR>
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %A : tensor<8x8xf32, #CSR>, tensor<8x8xf32, #CSR>) outs(%F : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32, #CSR>
  return %r : tensor<8x8xf32, #CSR>
}
