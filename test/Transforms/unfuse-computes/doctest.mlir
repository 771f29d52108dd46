// RUN: astfe-opt %s --astfe-unfuse-computes | FileCheck %s
// RUN: astfe-opt %s --astfe-unfuse-computes --remarks-filter='.*unfuse.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Computations stand where the chain stood; a local is an empty tensor with the
// sizes of the pattern.

// CHECK-LABEL: @f
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{.*}}>, %[[Y:[^:]*]]: tensor<?xf32>
// CHECK:         %[[P:.*]] = astfe.pack %[[A]]
// CHECK:         %[[V:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK-NOT:     astfe.fused
// CHECK:         %[[SLOTS:.*]] = tensor.dim %[[V]], %{{.*}} : tensor<?xf32>
// CHECK:         %[[S0:.*]] = tensor.empty(%[[SLOTS]]) : tensor<?xf32>
// CHECK:         %[[S:.*]] = astfe.compute over %[[P]]
// CHECK-NEXT:      ins(%[[V]] : tensor<?xf32>) outs(%[[S0]] : tensor<?xf32>) overwrite
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[A]], %{{.*}} : tensor<?x?xf32
// CHECK:         %[[T0:.*]] = tensor.empty(%[[ROWS]]) : tensor<?xf32>
// CHECK:         %[[T:.*]] = astfe.compute over %[[P]]
// CHECK-NEXT:      ins(%[[S]] : tensor<?xf32>) outs(%[[T0]] : tensor<?xf32>) overwrite
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[T]] : tensor<?xf32>) outs(%[[Y]] : tensor<?xf32>)
// CHECK:         return %[[R]]

// CHECK-LABEL: @no_values
// CHECK:         %[[Q:.*]] = astfe.pack %[[B:.*]] : tensor<4x8xf64
// CHECK:         %[[W:.*]] = astfe.values %[[B]] in %[[Q]]
// CHECK:         tensor.dim %[[W]]
// CHECK:         tensor.empty() : tensor<4x2xf64>

// REMARK: [Missed] unfused | Category:astfe-unfuse-computes | Function=f | Reason="there is no fused kernel for the target"

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

func.func @f(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %s0 = astfe.local over %p at #n : !P -> tensor<?xf32>
    %s = astfe.compute over %p : !P maps [#n, #n]
        ins(%a : tensor<?xf32>) outs(%s0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      %z = math.exp %t : f32
      astfe.yield "addf" %z : f32
    } -> tensor<?xf32>
    %t0 = astfe.local over %p at #i : !P -> tensor<?xf32>
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%s : tensor<?xf32>) outs(%t0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %o1 = linalg.generic {indexing_maps = [#k, #k],
                          iterator_types = ["parallel"]}
        ins(%t : tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%t1: f32, %u: f32):
      %z = arith.addf %t1, %u : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    astfe.return %o1 : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

#nx = affine_map<(n, i, j, x) -> (n, x)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!Q = !astfe.blocked<4x8, #astfe.layout<view>>

// No input has the number of slots: the packed tensor's values do.
func.func @no_values(%A: tensor<4x8xf64, #CSR>, %B: tensor<8x2xf64>,
                     %y: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %P = astfe.pack %A : tensor<4x8xf64, #CSR> -> !Q
  %r = astfe.fused over %p = %P : !Q ins(%b = %B : tensor<8x2xf64>)
      outs(%o = %y : tensor<4x2xf64>) {
    %s0 = astfe.local over %p at #n : !Q -> tensor<?xf64>
    %s = astfe.compute over %p : !Q maps [affine_map<(n, i, j, x) -> (j, x)>,
                                          affine_map<(n, i, j, x) -> (n)>]
        ins(%b : tensor<8x2xf64>) outs(%s0 : tensor<?xf64>) overwrite {
    ^bb0(%t: f64):
      astfe.yield "addf" %t : f64
    } -> tensor<?xf64>
    %t0 = astfe.local over %p at #ix : !Q -> tensor<4x2xf64>
    %t = astfe.compute over %p : !Q maps [affine_map<(n, i, j, x) -> (n)>, #jx, #ix]
        ins(%s, %b : tensor<?xf64>, tensor<8x2xf64>) outs(%t0 : tensor<4x2xf64>) overwrite {
    ^bb0(%t: f64, %u: f64):
      %z = arith.mulf %t, %u : f64
      astfe.yield "addf" %z : f64
    } -> tensor<4x2xf64>
    %o1 = astfe.compute over %p : !Q maps [#ix, #ix]
        ins(%t : tensor<4x2xf64>) outs(%o : tensor<4x2xf64>) {
    ^bb0(%u: f64):
      astfe.yield "addf" %u : f64
    } -> tensor<4x2xf64>
    astfe.return %o1 : tensor<4x2xf64>
  } -> tensor<4x2xf64>
  return %r : tensor<4x2xf64>
}

// Of a column, the tensor's second extent.

// CHECK-LABEL: @by_columns
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32
// CHECK:         %[[C1:.*]] = arith.constant 1 : index
// CHECK:         %[[COLUMNS:.*]] = tensor.dim %[[A]], %[[C1]]
// CHECK:         tensor.empty(%[[COLUMNS]])
#j = affine_map<(n, i, j) -> (j)>
func.func @by_columns(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %s0 = astfe.local over %p at #j : !P -> tensor<?xf32>
    %s = astfe.compute over %p : !P maps [#n, #j]
        ins(%a : tensor<?xf32>) outs(%s0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %t = astfe.compute over %p : !P maps [#n, #j, #j]
        ins(%a, %s : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%t: f32, %u: f32):
      %z = arith.mulf %t, %u : f32
      astfe.yield "addf" %z : f32
    } -> tensor<?xf32>
    astfe.return %t : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
