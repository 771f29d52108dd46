// RUN: astfe-opt %s --astfe-partition --remarks-filter='astfe-partition' \
// RUN:   --remark-policy=all --verify-diagnostics | FileCheck %s

// What runs in parallel over a view stays one where workers over a packed pattern
// would have to share an output, whichever of the modes is that of the rows: here
// one computation sums values of the pattern into rows, and another into columns.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK-LABEL: func.func @both
// CHECK-NOT:     reinterpret_map
// CHECK-NOT:     astfe.partition
func.func @both(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
                %C: tensor<?x8xf32>, %D: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  // expected-remark @below {{one worker would run what is packed: the output is not indexed by rows}}
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #ik, #jk]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  %s = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%v, %r : tensor<?xf32>, tensor<?x8xf32>)
      outs(%D : tensor<?x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r, %s : tensor<?x8xf32>, tensor<?x8xf32>
}
