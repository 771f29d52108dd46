// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-DAG: #[[JK:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[IK:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[VIEW:.*]] = #astfe.layout<view>

// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{.*}}>, %[[B:[^:]*]]: tensor<?x?xf32>, %[[C:[^:]*]]: tensor<?x?xf32>
// CHECK:         %[[P:.*]] = astfe.pack %[[A]] : tensor<?x?xf32, #{{.*}}> -> !astfe.blocked<?x?, #[[VIEW]]>
// CHECK:         %[[V:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK:         %[[R:.*]] = astfe.compute over %[[P]] : !astfe.blocked<?x?, #[[VIEW]]> maps [#[[N]], #[[JK]], #[[IK]]]
// CHECK-NEXT:      ins(%[[V]], %[[B]] : tensor<?xf32>, tensor<?x?xf32>) outs(%[[C]] : tensor<?x?xf32>) {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT:      astfe.yield "addf" %[[M]] : f32
// CHECK-NEXT:    } -> tensor<?x?xf32>
// CHECK:         return %[[R]]
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                     outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
