// RUN: astfe-opt %s --astfe-unfuse-computes=keep=host --remarks-filter='.*unfuse.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-unfuse-computes=keep=host | FileCheck %s --check-prefix=IR --implicit-check-not=astfe.fused

// Chains that the loops of a host's rows cannot run, and why.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// IR: @indices
// CHECK: unfused | Category:astfe-unfuse-computes | Function=indices | Reason="an epilogue reads loop indices"
func.func @indices(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %e = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]}
        outs(%t : tensor<?xf32>) {
    ^bb0(%u: f32):
      %at = linalg.index 0 : index
      %w = arith.index_cast %at : index to i32
      %f = arith.sitofp %w : i32 to f32
      %z = arith.addf %u, %f : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    astfe.return %e : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Its epilogue is by rows, and the storage's segments are columns.
// IR: @rows_of_columns
// CHECK: unfused | Category:astfe-unfuse-computes | Function=rows_of_columns | Reason="the storage has segments of another mode than the chain's key"
func.func @rows_of_columns(%A: tensor<?x?xf32, #CSC>, %x: tensor<?xf32>,
                           %y: tensor<?xf32>, %e: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSC>, !P -> tensor<?xf32>
  %r:2 = astfe.fused over %p = %P : !P
      ins(%a = %v, %b = %x : tensor<?xf32>, tensor<?xf32>)
      outs(%s = %e, %o = %y : tensor<?xf32>, tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #n]
        ins(%a : tensor<?xf32>) outs(%s : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %u = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%b : tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%q: f32, %w: f32):
      linalg.yield %q : f32
    } -> tensor<?xf32>
    astfe.return %t, %u : tensor<?xf32>, tensor<?xf32>
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}
