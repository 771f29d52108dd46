// RUN: astfe-opt %s --astfe-partition --remarks-filter='astfe-partition' \
// RUN:   --remark-policy=all --verify-diagnostics | FileCheck %s

// What runs in parallel over a view stays one where workers over a packed
// pattern would have to share the output: here its rows are A's columns.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (i, k)>
#c = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK-LABEL: func.func @transposed
// CHECK-NOT:     astfe.partition
func.func @transposed(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
                      %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @below {{one worker would run what is packed: the output is not indexed by rows}}
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #b, #c]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
