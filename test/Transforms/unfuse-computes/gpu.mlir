// RUN: astfe-opt %s --astfe-unfuse-computes=keep=gpu --remarks-filter='.*unfuse.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-unfuse-computes=keep=gpu | FileCheck %s --check-prefix=IR
// RUN: not astfe-opt %s --astfe-unfuse-computes=keep=all 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: expected option 'keep' to be host, gpu or none but got 'all'

// Chains that a GPU's warp cannot run row by row, and why.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#COO = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique), j : singleton)}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// IR-LABEL: @stays
// IR: astfe.fused
// CHECK-NOT: Function=stays
func.func @stays(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>, %z: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r:2 = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y, %q = %z : tensor<?xf32>, tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %u = astfe.compute over %p : !P maps [#n, #i, #n]
        ins(%a, %t : tensor<?xf32>, tensor<?xf32>) outs(%q : tensor<?xf32>) overwrite {
    ^bb0(%x: f32, %s: f32):
      %w = arith.divf %x, %s : f32
      astfe.yield "addf" %w : f32
    } -> tensor<?xf32>
    astfe.return %t, %u : tensor<?xf32>, tensor<?xf32>
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// IR-NOT: astfe.fused
// CHECK: unfused | Category:astfe-unfuse-computes | Function=epilogue | Reason="an epilogue has an op that kernels have no instructions for"
func.func @epilogue(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>) -> tensor<?xf32> {
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
      %s = math.sin %u : f32
      %z = arith.addf %u, %s : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    astfe.return %e : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK: unfused | Category:astfe-unfuse-computes | Function=elsewhere | Reason="an epilogue reads at other places than its row and column"
func.func @elsewhere(%A: tensor<?x?xf32, #CSR>, %R: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v, %q = %R : tensor<?xf32>, tensor<?x?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %e = linalg.generic {indexing_maps = [affine_map<(k) -> (k, k)>, #k], iterator_types = ["parallel"]}
        ins(%q : tensor<?x?xf32>) outs(%t : tensor<?xf32>) {
    ^bb0(%w: f32, %u: f32):
      %z = arith.addf %u, %w : f32
      linalg.yield %z : f32
    } -> tensor<?xf32>
    astfe.return %e : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK: unfused | Category:astfe-unfuse-computes | Function=added | Reason="a computation adds to what its output held"
func.func @added(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    astfe.return %t : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK: unfused | Category:astfe-unfuse-computes | Function=by_columns | Reason="expected an output indexed by (n), (column) or (column, j) in a chain on a GPU but got affine_map<(d0, d1, d2) -> (d1)>"
func.func @by_columns(%A: tensor<?x?xf32, #CSC>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSC>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    astfe.return %t : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK: unfused | Category:astfe-unfuse-computes | Function=coordinates | Reason="the matrix is stored in another format than CSR and CSC"
func.func @coordinates(%A: tensor<?x?xf32, #COO>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #COO> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #COO>, !P -> tensor<?xf32>
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<?xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    astfe.return %t : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
