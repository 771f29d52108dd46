// RUN: astfe-opt %s --split-input-file --astfe-split-inspector=with-values | FileCheck %s
// RUN: astfe-opt %s --split-input-file --astfe-split-inspector=with-values --astfe-split-inspector=with-values \
// RUN:   | FileCheck %s --implicit-check-not=_prepare_prepare

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// The pattern and its values are prepared; @f_run no longer takes the tensor.

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{[a-z]*}}>, %[[B:[^:]*]]: tensor<?x?xf32>, %[[C:[^:]*]]: tensor<?x?xf32>)
// CHECK-NEXT:    %[[P:.*]]:2 = call @f_prepare(%[[A]])
// CHECK-NEXT:    %[[R:.*]] = call @f_run(%[[P]]#0, %[[P]]#1, %[[B]], %[[C]])
// CHECK-NEXT:    return %[[R]] : tensor<?x?xf32>

// CHECK-LABEL: func.func @f_prepare(
// CHECK:         %[[P:.*]] = astfe.pack
// CHECK-NEXT:    %[[V:.*]] = astfe.values
// CHECK-NEXT:    return %[[P]], %[[V]]

// CHECK-LABEL: func.func @f_run(
// CHECK-SAME:    %[[P:[^:]*]]: !astfe.blocked<?x?, #pack>, %[[V:[^:]*]]: tensor<?xf32>, %[[B:[^:]*]]: tensor<?x?xf32>, %[[C:[^:]*]]: tensor<?x?xf32>)
// CHECK-NOT:     astfe.values
// CHECK:         astfe.compute over %[[P]]
// CHECK-NEXT:      ins(%[[V]], %[[B]]
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

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

func.func private @changed(tensor<?x?xf32, #CSR>) -> tensor<?x?xf32, #CSR>

// Values of a tensor that is made at each run stay there.

// CHECK-LABEL: func.func @later_prepare(
// CHECK-NOT:     astfe.values
// CHECK:         return %{{.*}} : !astfe.blocked<?x?, #pack>
// CHECK-LABEL: func.func @later_run(
// CHECK:         call @changed
// CHECK:         astfe.values
func.func @later(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                 %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %D = call @changed(%A) : (tensor<?x?xf32, #CSR>) -> tensor<?x?xf32, #CSR>
  %v = astfe.values %D in %P
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
