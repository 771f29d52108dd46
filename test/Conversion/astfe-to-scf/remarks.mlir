// RUN: astfe-opt %s --convert-astfe-to-scf --remarks-filter='convert-astfe-to-scf' \
// RUN:   --remark-policy=all --split-input-file --verify-diagnostics

// What became of each computation: the emitters, or why a serial loop.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
func.func @rows(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  // expected-remark @below {{[Passed] vectors | Category:convert-astfe-to-scf | Function=rows | emitters="rows, one_column in lanes of 16"}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
func.func @by_columns(%A: tensor<?x?xf32, #CSC>, %x: tensor<?xf32>,
                      %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSC>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  // expected-remark @below {{[Passed] vectors | Category:convert-astfe-to-scf | Function=by_columns | emitters="pieces with sums of their own"}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
func.func @quotients(%A: tensor<?x?xi32, #CSC>, %x: tensor<?xi32>,
                      %y: tensor<?xi32>) -> tensor<?xi32> {
  %P = astfe.pack %A : tensor<?x?xi32, #CSC> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xi32, #CSC>, !astfe.blocked<?x?, #view> -> tensor<?xi32>
  // expected-remark @below {{[Missed] scalar-loop | Category:convert-astfe-to-scf | Function=quotients | Reason="the body is not elementwise, or may trap"}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xi32>, tensor<?xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %p = arith.divsi %a, %b : i32
    astfe.yield "addi" %p : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
func.func @parts(%A: tensor<?x?xf32, #CSC>, %B: tensor<?x70xf32>,
                  %C: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSC>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  // expected-remark @below {{emitters="parts, column_tile of 5 x 16"}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x70xf32>)
      outs(%C : tensor<?x70xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x70xf32>
  return %r : tensor<?x70xf32>
}

// -----

#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
func.func @packed(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                  %B: tensor<?x?xf32>, %C: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  // expected-remark @below {{emitters="row_segments+scattered, column_tile of 4 x 16"}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A sampled product: its output is indexed by the nonzeros.

#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#kj = affine_map<(n, i, j, k) -> (k, j)>
func.func @sampled(%P: !astfe.blocked<?x?, #L>, %X: tensor<?x?xf32>,
                   %Y: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{emitters="samples of row_segments+scattered, sums in lanes of 16"}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#ik, #kj, #n]
      ins(%X, %Y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Lanes under a mask run the body too, and would divide by what lies there.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
func.func @quotients(%A: tensor<?x?xi32, #CSR>, %B: tensor<?x7xi32>,
                     %C: tensor<?x7xi32>) -> tensor<?x7xi32> {
  %P = astfe.pack %A : tensor<?x?xi32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xi32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xi32>
  // expected-remark @below {{the body is not elementwise, or may trap}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xi32>, tensor<?x7xi32>)
      outs(%C : tensor<?x7xi32>) {
  ^bb0(%a: i32, %b: i32):
    %p = arith.divsi %a, %b : i32
    astfe.yield "addi" %p : i32
  } -> tensor<?x7xi32>
  return %r : tensor<?x7xi32>
}

// -----

// So do remainders, which MLIR takes to be safe.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
func.func @remainders(%A: tensor<?x?xi32, #CSR>, %B: tensor<?x7xi32>,
                     %C: tensor<?x7xi32>) -> tensor<?x7xi32> {
  %P = astfe.pack %A : tensor<?x?xi32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xi32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xi32>
  // expected-remark @below {{the body is not elementwise, or may trap}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xi32>, tensor<?x7xi32>)
      outs(%C : tensor<?x7xi32>) {
  ^bb0(%a: i32, %b: i32):
    %p = arith.remui %a, %b : i32
    astfe.yield "addi" %p : i32
  } -> tensor<?x7xi32>
  return %r : tensor<?x7xi32>
}
