// RUN: astfe-opt %s --astfe-attach-profile="matrix=%S/../attach-profile/Inputs/small.mtx order=hilbert min=1" \
// RUN:   --astfe-partition="order=hilbert leaf=2" --remarks-filter='.*partition' --remark-policy=all 2>&1 \
// RUN:   | FileCheck %s

// With a known profile the graph is computed now; it has the profile's extents
// although the type has none, and keeps the profile for the next pass.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

// CHECK: [Passed] partitioned | Category:astfe-partition | Function=f | Remark="packs by a graph", order=hilbert
// CHECK: [Analysis] partitioned | Category:astfe-partition | Function=f | blocks=6, nonzeros=12

// CHECK-LABEL: func.func @f(
// CHECK-NOT:     astfe.partition
// CHECK:         %[[G:.*]] = astfe.graph hilbert [8, 8] {
// CHECK-NEXT:      b0000 : 4 b0010 : 2 b0101 : 1 b1000 : 2
// CHECK-NEXT:      b1010 : 2 b1111 : 1
// CHECK-NEXT:      } groups [0, 1, 2, 3, 4, 5, 6] {astfe.profile = #astfe.profile<hilbert [8, 8] {
// CHECK:           : !astfe.graph<?x?>
// CHECK:         astfe.pack %{{.*}} by %[[G]]
func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// Steps whose profile has become known are computed as well.

// CHECK-LABEL: func.func @later(
// CHECK-NOT:     astfe.{{partition|refine|fuse}}
// CHECK:         %[[G:.*]] = astfe.graph hilbert [8, 8] {
// CHECK-NEXT:      b000000 : 1
// CHECK:         limit 1
// CHECK:         return %[[G]]
func.func @later(%A: tensor<?x?xf32, #CSR>) -> !astfe.graph<?x?> {
  %h = astfe.profile of %A order = "hilbert" min = 1
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g0 = astfe.partition %h leaf = 2 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %g1 = astfe.refine %g0 by %h min = 1
    : !astfe.graph<?x?>, !astfe.profile<?x?>
  %g2 = astfe.fuse %g1 by %h : !astfe.graph<?x?>, !astfe.profile<?x?>
  return %g2 : !astfe.graph<?x?>
}
