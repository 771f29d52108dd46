// RUN: astfe-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-refine.sh' | FileCheck %s

// All but the function that refines goes away.

// CHECK-NOT: @packs
// CHECK:     @refines
// CHECK:       astfe.refine
// CHECK-NOT: @partitions
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @packs(%A: tensor<4x4xf32, #CSR>)
    -> !astfe.blocked<4x4, #astfe.layout<view>> {
  %P = astfe.pack %A
    : tensor<4x4xf32, #CSR> -> !astfe.blocked<4x4, #astfe.layout<view>>
  return %P : !astfe.blocked<4x4, #astfe.layout<view>>
}
func.func @refines(%g: !astfe.graph<4x4>, %h: !astfe.profile<4x4>)
    -> !astfe.graph<4x4> {
  %r = astfe.refine %g by %h : !astfe.graph<4x4>, !astfe.profile<4x4>
  return %r : !astfe.graph<4x4>
}
func.func @partitions(%h: !astfe.profile<4x4>) -> !astfe.graph<4x4> {
  %g = astfe.partition %h leaf = auto
    : !astfe.profile<4x4> -> !astfe.graph<4x4>
  return %g : !astfe.graph<4x4>
}
