// RUN: astfe-opt %s --astfe-fuse-computes --split-input-file | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
!P = !astfe.blocked<?x?, #astfe.layout<view>>
!Q = !astfe.blocked<?x?, #pack>

// Values of one tensor in two patterns are in two orders: no single operand.

// CHECK-LABEL: @two_orders
// CHECK:         %[[V:.*]] = astfe.values %{{.*}} in %[[P:[0-9a-zA-Z_]+]] :
// CHECK:         %[[W:.*]] = astfe.values %{{.*}} in %[[Q:[0-9a-zA-Z_]+]] :
// CHECK:         astfe.fused over %{{.*}} = %[[P]]
// CHECK-NEXT:      ins(%[[A:.*]] = %[[V]], %[[B:.*]] = %[[W]] :
// CHECK:           astfe.compute
// CHECK-NEXT:        ins(%[[A]] :
// CHECK:           astfe.compute
// CHECK-NEXT:        ins(%{{.*}}, %[[B]] :
func.func @two_orders(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>,
                      %e: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %Q = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !Q
  %w = astfe.values %A in %Q : tensor<?x?xf32, #CSR>, !Q -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #n, #i]
      ins(%s, %w : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A tensor that is made of a member's result moves behind the chain.

// CHECK-LABEL: @unpacked
// CHECK:         %[[R:.*]]:2 = astfe.fused
// CHECK:         %[[S:.*]] = astfe.unpack %[[R]]#0
// CHECK:         return %[[S]], %[[R]]#1
func.func @unpacked(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                    %e: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?x?xf32, #CSR>, tensor<?xf32>) {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #j, #n]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %S = astfe.unpack %s in %P like %A : tensor<?xf32>, !P, tensor<?x?xf32, #CSR>
  %r = astfe.compute over %P : !P maps [#n, #i]
      ins(%s : tensor<?xf32>) outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  return %S, %r : tensor<?x?xf32, #CSR>, tensor<?xf32>
}

!F = !astfe.blocked<8x8, #astfe.layout<view>>

func.func private @use(tensor<?xf32>)

// %y leaves the last one's chain, as somebody reads it early, and so does %x,
// which %y reads there.

// CHECK-LABEL: @f5_twice
// CHECK:         %[[XY:.*]]:2 = astfe.fused
// CHECK:         call @use(%[[XY]]#1)
// CHECK:         astfe.compute over
// CHECK-NEXT:      ins(%[[XY]]#0, %[[XY]]#1 :
func.func @f5_twice(%P: !F, %v: tensor<?xf32>, %e0: tensor<?xf32>,
                    %e1: tensor<?xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %x = astfe.compute over %P : !F maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    astfe.yield "addf" %e : f32
  } -> tensor<?xf32>
  %y = astfe.compute over %P : !F maps [#n, #n]
      ins(%x : tensor<?xf32>) outs(%e1 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  call @use(%y) : (tensor<?xf32>) -> ()
  %s = astfe.compute over %P : !F maps [#n, #n, #i]
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<8xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

#k = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>

// Two products of one factor are one chain with two results.

// CHECK-LABEL: @two_products
// CHECK:         %[[R:.*]]:2 = astfe.fused
// CHECK-NEXT:      ins(
// CHECK-NEXT:      outs(%[[O:.*]] = %{{.*}}, %[[U:.*]] = %{{.*}} : tensor<8x4xf32>, tensor<8x2xf32>)
// CHECK:           %[[L:.*]] = astfe.local
// CHECK:           astfe.compute
// CHECK-NEXT:        ins({{.*}}) outs(%[[L]] :
// CHECK:           astfe.compute
// CHECK-NEXT:        outs(%[[O]] :
// CHECK:           astfe.compute
// CHECK-NEXT:        outs(%[[U]] :
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @two_products(%P: !F, %v: tensor<?xf32>, %e: tensor<?xf32>,
                        %X: tensor<8x4xf32>, %Y: tensor<8x2xf32>,
                        %A: tensor<8x4xf32>, %B: tensor<8x2xf32>)
    -> (tensor<8x4xf32>, tensor<8x2xf32>) {
  %p = astfe.compute over %P : !F maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %t = math.exp %a : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  %x = astfe.compute over %P : !F maps [#k, #jx, #ix]
      ins(%p, %X : tensor<?xf32>, tensor<8x4xf32>) outs(%A : tensor<8x4xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %t = arith.mulf %a, %b : f32
    astfe.yield "addf" %t : f32
  } -> tensor<8x4xf32>
  %y = astfe.compute over %P : !F maps [#k, #jx, #ix]
      ins(%p, %Y : tensor<?xf32>, tensor<8x2xf32>) outs(%B : tensor<8x2xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %t = arith.mulf %a, %b : f32
    astfe.yield "addf" %t : f32
  } -> tensor<8x2xf32>
  return %x, %y : tensor<8x4xf32>, tensor<8x2xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
#kx = affine_map<(k, x) -> (k, x)>
#x = affine_map<(k, x) -> (x)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// A product that is added to something stays where that is, whatever follows.

// CHECK-LABEL: @added_with_bias
// CHECK-SAME:    %[[C:[^:, ]*]]: tensor<?x32xf32>, %{{[^:, ]*}}: tensor<?x32xf32>) ->
// CHECK:         astfe.fused over
// CHECK:           outs(%[[O:.*]] = %[[C]] : tensor<?x32xf32>) {
// CHECK:           outs(%[[O]] : tensor<?x32xf32>) {
func.func @added_with_bias(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                           %bias: tensor<32xf32>, %C: tensor<?x32xf32>,
                           %D: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#nx, #jx, #ix]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  %s = linalg.generic {indexing_maps = [#kx, #x, #kx],
                       iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<?x32xf32>, tensor<32xf32>)
      outs(%D : tensor<?x32xf32>) {
  ^bb0(%c: f32, %b: f32, %out: f32):
    %y = arith.addf %c, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x32xf32>
  return %s : tensor<?x32xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#nx = affine_map<(n, i, j, x) -> (n)>
#iy = affine_map<(n, i, j, x) -> (i)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// Sums that are added to something outside are no local, though nobody reads
// them outside.

// CHECK-LABEL: @added_inside
// CHECK-SAME:    %[[Y:[^:, ]*]]: tensor<?xf32>, %[[C:[^:, ]*]]: tensor<?x32xf32>) ->
// CHECK-NOT:     astfe.local
// CHECK:         astfe.fused over
// CHECK:           outs(%[[YY:.*]] = %[[Y]], %{{.*}} = %[[C]] : tensor<?xf32>, tensor<?x32xf32>) {
// CHECK-NOT:       astfe.local
// CHECK:           outs(%[[YY]] : tensor<?xf32>) {
func.func @added_inside(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                        %y: tensor<?xf32>, %C: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#nx, #iy, #jx, #ix]
      ins(%v, %s, %B : tensor<?xf32>, tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) overwrite {
  ^bb0(%a: f32, %b: f32, %k: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %k : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
