// RUN: astfe-opt %s --astfe-merge-inspectors | FileCheck %s
// RUN: astfe-opt %s --astfe-merge-inspectors --remarks-filter='.*merge.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// One pattern for two computations over one matrix; a profile that nobody reads
// goes.

// CHECK-LABEL: @f
// CHECK-NOT:     astfe.profile
// CHECK:         %[[P:.*]] = astfe.pack
// CHECK-NEXT:    %[[V:.*]] = astfe.values {{.*}} in %[[P]]
// CHECK-NEXT:    %[[Y:.*]] = astfe.compute over %[[P]]
// CHECK-NEXT:      ins(%[[V]], %{{.*}} :
// CHECK:         scf.if
// CHECK-NOT:       astfe.pack
// CHECK:           astfe.compute over %[[P]]
// CHECK-NEXT:        ins(%[[V]], %{{.*}} :

// REMARK: [Passed] merged | Category:astfe-merge-inspectors | Function=f | op=astfe.pack
// REMARK: [Passed] merged | Category:astfe-merge-inspectors | Function=f | op=astfe.values

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered]>

func.func @f(%A: tensor<8x8xf32, #CSR>, %g: !astfe.graph<8x8>, %x: tensor<8xf32>, %y: tensor<8xf32>,
             %again: i1) -> tensor<8xf32> {
  %h = astfe.profile of %A order = "rows" min = 16
    : tensor<8x8xf32, #CSR> -> !astfe.profile<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
  %v = astfe.values %A in %P
    : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
  %z = astfe.compute over %P : !astfe.blocked<8x8, #pack>
      maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
            affine_map<(n, i, j) -> (i)>]
      ins(%v, %x : tensor<?xf32>, tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<8xf32>
  %r = scf.if %again -> tensor<8xf32> {
    %Q = astfe.pack %A by %g
    : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #pack>
    %w = astfe.values %A in %Q
      : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
    %s = astfe.compute over %Q : !astfe.blocked<8x8, #pack>
        maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
              affine_map<(n, i, j) -> (i)>]
        ins(%w, %z : tensor<?xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  } else {
    scf.yield %z : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
