// RUN: astfe-opt %s --convert-astfe-to-scf --split-input-file | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu --split-input-file \
// RUN:   | FileCheck %s --check-prefix=LLVM

// A module says that its loops are in vectors where it has no other: LLVM's
// vectorisers and unrollers are left out then.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
// CHECK: module attributes {astfe.vectorized}
// CHECK: func.func @rows
// LLVM: module attributes {astfe.vectorized}
// LLVM: llvm.func @rows
func.func @rows(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A serial loop over the nonzeros is in no vectors: a division may trap.

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
// CHECK-NOT: astfe.vectorized
// CHECK: func.func @quotients
// LLVM-NOT: astfe.vectorized
// LLVM: llvm.func @quotients
func.func @quotients(%A: tensor<?x?xi32, #CSC>, %x: tensor<?xi32>,
                      %y: tensor<?xi32>) -> tensor<?xi32> {
  %P = astfe.pack %A : tensor<?x?xi32, #CSC> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xi32, #CSC>, !astfe.blocked<?x?, #view> -> tensor<?xi32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xi32>, tensor<?xi32>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %p = arith.divsi %a, %b : i32
    astfe.yield "addi" %p : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----

// A loop of the caller's.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
// CHECK-NOT: astfe.vectorized
// CHECK: func.func @beside_a_loop
func.func @beside_a_loop(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                         %y: tensor<?xf32>, %m: memref<64xf32>)
    -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %c64 step %c1 {
    %e = memref.load %m[%k] : memref<64xf32>
    %d = arith.addf %e, %e : f32
    memref.store %d, %m[%k] : memref<64xf32>
  }
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A loop of branches.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
// CHECK-NOT: astfe.vectorized
// CHECK: func.func @beside_branches
func.func @beside_branches(%m: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  cf.br ^loop
^loop:
  %e = memref.load %m[%c0] : memref<1xf32>
  %more = arith.cmpf olt, %e, %e : f32
  cf.cond_br %more, ^loop, ^end
^end:
  return
}
func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A call of what the module has; a declaration is nobody's loop.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
// CHECK-NOT: astfe.vectorized
// CHECK: func.func @beside_a_call
func.func @beside_a_call() {
  call @here() : () -> ()
  return
}
func.func @here() {
  return
}
func.func @spmv_beside(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                       %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>
// CHECK: module attributes {astfe.vectorized}
// CHECK: func.func @elsewhere
func.func private @there()
func.func @elsewhere() {
  call @there() : () -> ()
  return
}
func.func @spmv_alone(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                      %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// No computation at all.

// CHECK-NOT: astfe.vectorized
// CHECK: func.func @nothing
func.func @nothing() {
  return
}
