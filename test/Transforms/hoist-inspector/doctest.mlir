// RUN: astfe-opt %s --astfe-hoist-inspector | FileCheck %s
// RUN: astfe-opt %s --astfe-hoist-inspector --remarks-filter='.*hoist.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @f
// CHECK:         astfe.profile
// CHECK:         astfe.partition
// CHECK:         astfe.pack
// CHECK:         astfe.values
// CHECK:         scf.for
// CHECK-NEXT:      astfe.compute

// REMARK: [Passed] hoisted | Category:astfe-hoist-inspector | Function=f | op=astfe.profile

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

func.func @f(%A: tensor<8x8xf32, #CSR>, %x: tensor<8xf32>, %y: tensor<8xf32>,
             %trips: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %trips step %c1
      iter_args(%z = %y) -> tensor<8xf32> {
    %h = astfe.profile of %A order = "rows" min = 16
      : tensor<8x8xf32, #CSR> -> !astfe.profile<8x8>
    %g = astfe.partition %h leaf = 64 : !astfe.profile<8x8> -> !astfe.graph<8x8>
    %P = astfe.pack %A by %g
      : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
    %v = astfe.values %A in %P
      : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
    %w = astfe.compute over %P : !astfe.blocked<8x8, #pack>
        maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
              affine_map<(n, i, j) -> (i)>]
        ins(%v, %x : tensor<?xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
