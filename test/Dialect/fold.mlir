// RUN: astfe-opt %s --canonicalize --split-input-file | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
!P = !astfe.blocked<4x4, #astfe.layout<view>>

// CHECK-LABEL: @unpack_of_values
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor
// CHECK-NEXT:    return %[[A]]
func.func @unpack_of_values(%A: tensor<4x4xf32, #CSR>, %P: !P)
    -> tensor<4x4xf32, #CSR> {
  %v = astfe.values %A in %P : tensor<4x4xf32, #CSR>, !P -> tensor<?xf32>
  %B = astfe.unpack %v in %P like %A
    : tensor<?xf32>, !P, tensor<4x4xf32, #CSR>
  return %B : tensor<4x4xf32, #CSR>
}

// Values of one tensor in the pattern of another are not that other tensor.
// CHECK-LABEL: @unpack_into_another
// CHECK:         %[[B:.*]] = astfe.unpack
// CHECK:         return %[[B]]
func.func @unpack_into_another(%A: tensor<4x4xf32, #CSR>,
                               %L: tensor<4x4xf32, #CSR>, %P: !P)
    -> tensor<4x4xf32, #CSR> {
  %v = astfe.values %A in %P : tensor<4x4xf32, #CSR>, !P -> tensor<?xf32>
  %B = astfe.unpack %v in %P like %L
    : tensor<?xf32>, !P, tensor<4x4xf32, #CSR>
  return %B : tensor<4x4xf32, #CSR>
}

// CHECK-LABEL: @values_of_unpack
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NEXT:    return %[[V]]
func.func @values_of_unpack(%A: tensor<4x4xf32, #CSR>, %v: tensor<?xf32>,
                            %P: !P) -> tensor<?xf32> {
  %B = astfe.unpack %v in %P like %A
    : tensor<?xf32>, !P, tensor<4x4xf32, #CSR>
  %w = astfe.values %B in %P : tensor<4x4xf32, #CSR>, !P -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// Another pattern has another order.
// CHECK-LABEL: @values_of_unpack_elsewhere
// CHECK:         %[[W:.*]] = astfe.values
// CHECK:         return %[[W]]
func.func @values_of_unpack_elsewhere(%A: tensor<4x4xf32, #CSR>,
                                      %v: tensor<?xf32>, %P: !P, %Q: !P)
    -> tensor<?xf32> {
  %B = astfe.unpack %v in %P like %A
    : tensor<?xf32>, !P, tensor<4x4xf32, #CSR>
  %w = astfe.values %B in %Q : tensor<4x4xf32, #CSR>, !P -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// New values keep the pattern: packing looks through unpack.
// CHECK-LABEL: @pack_of_unpack
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4x4xf32
// CHECK-NOT:     astfe.unpack
// CHECK:         %[[H:.*]] = astfe.profile of %[[A]]
// CHECK:         %[[G:.*]] = astfe.partition %[[H]]
// CHECK:         %[[Q:.*]] = astfe.pack %[[A]] by %[[G]]
// CHECK:         return %[[Q]]
func.func @pack_of_unpack(%A: tensor<4x4xf32, #CSR>, %v: tensor<?xf32>,
                          %P: !P) -> !P {
  %B = astfe.unpack %v in %P like %A
    : tensor<?xf32>, !P, tensor<4x4xf32, #CSR>
  %h = astfe.profile of %B order = "rows" min = 1
    : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  %g = astfe.partition %h leaf = auto
    : !astfe.profile<4x4> -> !astfe.graph<4x4>
  %Q = astfe.pack %B by %g : tensor<4x4xf32, #CSR>, !astfe.graph<4x4> -> !P
  return %Q : !P
}

// CHECK-LABEL: @refine_without_steps
// CHECK-SAME:    %[[G:[a-z0-9]+]]: !astfe.graph
// CHECK-NEXT:    return %[[G]]
func.func @refine_without_steps(%g: !astfe.graph<4x4>,
                                %h: !astfe.profile<4x4>) -> !astfe.graph<4x4> {
  %r = astfe.refine %g by %h steps = 0
    : !astfe.graph<4x4>, !astfe.profile<4x4>
  return %r : !astfe.graph<4x4>
}

// CHECK-LABEL: @refine_with_a_step
// CHECK:         astfe.refine
func.func @refine_with_a_step(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>)
    -> !astfe.graph<4x4> {
  %r = astfe.refine %g by %h steps = 1
    : !astfe.graph<4x4>, !astfe.profile<4x4>
  return %r : !astfe.graph<4x4>
}

// Equal constant graphs become one, and move to the entry block.
// CHECK-LABEL: @constants
// CHECK-NEXT:    %[[G:.*]] = astfe.graph rows [4, 4] { b : 3 } groups [0, 1]
// CHECK-NEXT:    return %[[G]], %[[G]]
func.func @constants() -> (!astfe.graph<4x4>, !astfe.graph<4x4>) {
  %g = astfe.graph rows [4, 4] {b : 3} groups [0, 1] : !astfe.graph<4x4>
  %h = astfe.graph rows [4, 4] {b : 3} groups [0, 1] : !astfe.graph<4x4>
  return %g, %h : !astfe.graph<4x4>, !astfe.graph<4x4>
}

// -----

// A computation keeps its constants: a kernel reads nothing from outside.
#n = affine_map<(n, i, k) -> (n)>
#i = affine_map<(n, i, k) -> (i)>
!P = !astfe.blocked<4x4, #astfe.layout<view>>
// CHECK-LABEL: @constants
// CHECK-NOT:     arith.constant
// CHECK:         astfe.compute
// CHECK:           arith.constant 2.0
func.func @constants(%P: !P, %v: tensor<?xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %r = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    %two = arith.constant 2.0 : f32
    %p = arith.mulf %a, %two : f32
    astfe.yield "addf" %p : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
