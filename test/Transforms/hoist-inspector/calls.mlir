// RUN: astfe-opt %s --astfe-hoist-inspector --astfe-merge-inspectors | FileCheck %s
// RUN: astfe-opt %s --astfe-hoist-inspector --remarks-filter='.*hoist.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Callers inspect for the functions that they call: once for two calls, and before
// a loop around them.

// REMARK: [Passed] lifted | Category:astfe-hoist-inspector | Function=inner | ops=4

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>

// The tensor is no argument any more.
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME:    !astfe.blocked<8x8, #{{[a-z0-9]+}}>, %{{[^:]*}}: tensor<?xf32>, %{{[^:]*}}: tensor<8xf32>, %{{[^:]*}}: tensor<8xf32>)
// CHECK-NOT:     astfe.pack
func.func private @inner(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                         %y: tensor<8xf32>) -> tensor<8xf32> {
  %h = astfe.profile of %A order = "rows" min = 16
    : tensor<8x8xf32, #CSR> -> !astfe.profile<8x8>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<8x8> -> !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  %v = astfe.values %A in %P
    : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
  %w = astfe.compute over %P : !astfe.blocked<8x8, #pack> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// CHECK-LABEL: func.func @outer(
// CHECK:         %[[P:.*]] = astfe.pack
// CHECK:         %[[V:.*]] = astfe.values
// CHECK-NOT:     astfe.pack
// CHECK:         scf.for
// CHECK:           call @inner(%[[P]], %[[V]],
// CHECK:           call @inner(%[[P]], %[[V]],
func.func @outer(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                 %y: tensor<8xf32>, %trips: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %trips step %c1
      iter_args(%z = %y) -> tensor<8xf32> {
    %s = func.call @inner(%A, %x, %z)
      : (tensor<8x8xf32, #CSR>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %t = func.call @inner(%A, %s, %z)
      : (tensor<8x8xf32, #CSR>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A public function keeps its type.

// CHECK-LABEL: func.func @open(
// CHECK-SAME:    tensor<8x8xf32,
// CHECK:         astfe.pack
// CHECK:         call @open_inspected(
// CHECK:       func.func private @open_inspected(
// CHECK-SAME:    !astfe.blocked<8x8,
// CHECK-NOT:     astfe.pack
// CHECK:         astfe.compute
func.func @open(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                %y: tensor<8xf32>) -> tensor<8xf32> {
  %h = astfe.profile of %A order = "rows" min = 16
    : tensor<8x8xf32, #CSR> -> !astfe.profile<8x8>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<8x8> -> !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  %v = astfe.values %A in %P
    : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
  %w = astfe.compute over %P : !astfe.blocked<8x8, #pack> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// CHECK-LABEL: func.func @caller(
// CHECK:         astfe.pack
// CHECK:         call @open_inspected(
func.func @caller(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                  %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = call @open(%A, %x, %y)
    : (tensor<8x8xf32, #CSR>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
