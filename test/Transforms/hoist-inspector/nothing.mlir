// RUN: astfe-opt %s --astfe-hoist-inspector | FileCheck %s

// A matrix that a trip makes is packed by that trip, and what is not the
// inspector's stays where it is.

// CHECK-LABEL: @f
// CHECK:         scf.for
// CHECK:           tensor.empty
// CHECK:           sparse_tensor.convert
// CHECK:           astfe.pack

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

func.func private @use(tensor<?xf32>, tensor<8xf32>)

func.func @f(%D: tensor<?x8x8xf32>, %trips: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %trips step %c1 {
    %e = tensor.empty() : tensor<8xf32>
    %d = tensor.extract_slice %D[%i, 0, 0] [1, 8, 8] [1, 1, 1]
      : tensor<?x8x8xf32> to tensor<8x8xf32>
    %A = sparse_tensor.convert %d : tensor<8x8xf32> to tensor<8x8xf32, #CSR>
    %P = astfe.pack %A : tensor<8x8xf32, #CSR> -> !astfe.blocked<8x8, #view>
    %v = astfe.values %A in %P
      : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #view> -> tensor<?xf32>
    func.call @use(%v, %e) : (tensor<?xf32>, tensor<8xf32>) -> ()
  }
  return
}

// Functions that call themselves, that are used otherwise than called, or that are
// there to make a pattern keep their inspectors.

#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>

// CHECK-LABEL: func.func private @again(
// CHECK:         astfe.pack
// CHECK:         astfe.compute
func.func private @again(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                         %y: tensor<8xf32>, %more: i1) -> tensor<8xf32> {
  %false = arith.constant false
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
  %r = scf.if %more -> tensor<8xf32> {
    %s = func.call @again(%A, %x, %w, %false)
      : (tensor<8x8xf32, #CSR>, tensor<8xf32>, tensor<8xf32>, i1)
      -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  } else {
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func private @prepared(
// CHECK:         astfe.pack
func.func private @prepared(%A: tensor<8x8xf32, #CSR>)
    -> !astfe.blocked<8x8, #pack> {
  %h = astfe.profile of %A order = "rows" min = 16
    : tensor<8x8xf32, #CSR> -> !astfe.profile<8x8>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<8x8> -> !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  return %P : !astfe.blocked<8x8, #pack>
}

// CHECK-LABEL: func.func @callers(
// CHECK:         call @again(
// CHECK:         call @prepared(
func.func @callers(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>,
                   %y: tensor<8xf32>)
    -> (tensor<8xf32>, !astfe.blocked<8x8, #pack>) {
  %true = arith.constant true
  %r = call @again(%A, %x, %y, %true)
    : (tensor<8x8xf32, #CSR>, tensor<8xf32>, tensor<8xf32>, i1)
    -> tensor<8xf32>
  %P = call @prepared(%A)
    : (tensor<8x8xf32, #CSR>) -> !astfe.blocked<8x8, #pack>
  return %r, %P : tensor<8xf32>, !astfe.blocked<8x8, #pack>
}
