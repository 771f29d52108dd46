// RUN: astfe-opt %s --cse --loop-invariant-code-motion | FileCheck %s
// RUN: astfe-opt %s --resolve-ranked-shaped-type-result-dims --cse | FileCheck %s --check-prefix=SHAPE

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// What depends on the pattern alone leaves a training loop.
// CHECK-LABEL: @training
// CHECK:         astfe.profile
// CHECK:         astfe.pack
// CHECK:         astfe.values
// CHECK:         scf.for
// CHECK-NEXT:      func.call @use
func.func private @use(!P, tensor<?xf32>)
func.func @training(%A: tensor<4x8xf32, #CSR>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %h = astfe.profile of %A order = "rows" min = 1
      : tensor<4x8xf32, #CSR> -> !astfe.profile<4x8>
    %g = astfe.partition %h leaf = auto
      : !astfe.profile<4x8> -> !astfe.graph<4x8>
    %P = astfe.pack %A by %g : tensor<4x8xf32, #CSR>, !astfe.graph<4x8> -> !P
    %v = astfe.values %A in %P : tensor<4x8xf32, #CSR>, !P -> tensor<?xf32>
    func.call @use(%P, %v) : (!P, tensor<?xf32>) -> ()
  }
  return
}

// On tensors two equal computations are one; on buffers each adds again.
// CHECK-LABEL: @tensors
// CHECK-COUNT-1: astfe.compute
// CHECK-NOT:     astfe.compute
func.func @tensors(%P: !P, %x: tensor<8xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = astfe.compute over %P : !P maps [#k, #i]
      ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } -> tensor<4xf32>
  %s = astfe.compute over %P : !P maps [#k, #i]
      ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @buffers
// CHECK-COUNT-2: astfe.compute
func.func @buffers(%P: !P, %x: memref<8xf32>, %y: memref<4xf32>) {
  astfe.compute over %P : !P maps [#k, #i]
      ins(%x : memref<8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  }
  astfe.compute over %P : !P maps [#k, #i]
      ins(%x : memref<8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  }
  return
}

// SHAPE-LABEL: @shape
// SHAPE-SAME:    %[[A:[a-z0-9]+]]: tensor<4x8xf32
// SHAPE:         %[[N:.*]] = sparse_tensor.number_of_entries %[[A]]
// SHAPE:         return %[[N]]
func.func @shape(%A: tensor<4x8xf32, #CSR>, %P: !P) -> index {
  %c0 = arith.constant 0 : index
  %v = astfe.values %A in %P : tensor<4x8xf32, #CSR>, !P -> tensor<?xf32>
  %n = tensor.dim %v, %c0 : tensor<?xf32>
  return %n : index
}

// What the body does stays done.
// CHECK-LABEL: @calls
// CHECK:         astfe.compute
// CHECK:           func.call @log
#v = affine_map<(n, i, k) -> (n)>
func.func private @log(f32)
func.func @calls(%P: !P, %v: tensor<?xf32>, %y: tensor<4xf32>) {
  %r = astfe.compute over %P : !P maps [#v, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32):
    func.call @log(%a) : (f32) -> ()
    astfe.yield "addf" %a : f32
  } -> tensor<4xf32>
  return
}
