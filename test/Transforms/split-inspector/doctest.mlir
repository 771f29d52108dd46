// RUN: astfe-opt %s --astfe-split-inspector | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{[a-z]*}}>, %[[B:[^:]*]]: tensor<?x?xf32>, %[[C:[^:]*]]: tensor<?x?xf32>)
// CHECK-NEXT:    %[[P:.*]] = call @f_prepare(%[[A]]) : (tensor<?x?xf32, #{{[a-z]*}}>) -> !astfe.blocked<?x?, #pack>
// CHECK-NEXT:    %[[R:.*]] = call @f_run(%[[P]], %[[A]], %[[B]], %[[C]])
// CHECK-NEXT:    return %[[R]] : tensor<?x?xf32>

// CHECK-LABEL: func.func @f_prepare(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{[a-z]*}}>) -> !astfe.blocked<?x?, #pack>
// CHECK-NEXT:    astfe.profile
// CHECK-NEXT:    astfe.partition
// CHECK-NEXT:    %[[P:.*]] = astfe.pack
// CHECK-NEXT:    return %[[P]]

// CHECK-LABEL: func.func @f_run(
// CHECK-SAME:    %[[P:[^:]*]]: !astfe.blocked<?x?, #pack>, %[[A:[^:]*]]: tensor<?x?xf32, #{{[a-z]*}}>,
// CHECK-NEXT:    astfe.values %[[A]] in %[[P]]
// CHECK-NEXT:    astfe.compute over %[[P]]
func.func @f(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
             %C: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
