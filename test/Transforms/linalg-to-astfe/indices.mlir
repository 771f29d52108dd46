// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=storage=packed | FileCheck %s

// Indices of loops become operands that hold 0, 1, 2, ... along them: as long as the
// loops run, in 32 bits where types say that these suffice, else in 64.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func.func @both
// CHECK-SAME:    %{{[^:]*}}: {{.*}}, %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<4xf32>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xi32>
// CHECK:         %[[I:.*]] = linalg.generic {{.*}} outs(%[[E]] : tensor<4xi32>)
// CHECK:           %[[AT:.*]] = linalg.index 0
// CHECK:           arith.index_cast %[[AT]] : index to i32
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         %[[F:.*]] = tensor.empty(%[[N]]) : tensor<?xi64>
// CHECK:         %[[K:.*]] = linalg.generic {{.*}} outs(%[[F]] : tensor<?xi64>)
// CHECK:         astfe.compute over {{.*}} maps [#{{.*}}, #[[COLUMN]], #[[ROW]], #[[COLUMN]], #[[ROW]]]
// CHECK-NEXT:      ins(%{{.*}}, %[[X]], %[[I]], %[[K]] : {{.*}}) outs(%[[Y]] : tensor<4xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %{{.*}}: f32, %[[BI:.*]]: i32, %[[BK:.*]]: i64):
// CHECK-DAG:       arith.index_cast %[[BI]] : i32 to index
// CHECK-DAG:       arith.index_cast %[[BK]] : i64 to index
func.func @both(%A: tensor<4x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<4x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %d = arith.subi %i, %k : index
    %w = arith.index_cast %d : index to i32
    %f = arith.sitofp %w : i32 to f32
    %p = arith.mulf %a, %f : f32
    %q = arith.mulf %p, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// What is not raised is as it was.

// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    %[[R:.*]] = linalg.generic
// CHECK:           linalg.index 0
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]
func.func @kept(%A: tensor<4x?xf32, #CSR>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x?xf32, #CSR>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 0 : index
    %w = arith.index_cast %i : index to i32
    %f = arith.sitofp %w : i32 to f32
    %p = arith.addf %a, %f : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// No array of 8 TiB where no operand is as long.

// CHECK-LABEL: func.func @long
// CHECK-NOT:     astfe.compute
// CHECK:         return
func.func @long(%A: tensor<4x1099511627776xf32, #CSR>,
                %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#A, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x1099511627776xf32, #CSR>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %k = linalg.index 1 : index
    %w = arith.index_cast %k : index to i64
    %f = arith.sitofp %w : i64 to f32
    %p = arith.mulf %a, %f : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
