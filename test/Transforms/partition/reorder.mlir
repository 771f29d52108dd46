// RUN: astfe-opt %s --astfe-partition="order=hilbert reorder=labels hubs=auto min=32" | FileCheck %s
// RUN: astfe-opt %s --astfe-partition="order=rows reorder=rcm hubs=3" | FileCheck %s --check-prefix=RCM
// RUN: astfe-opt %s --astfe-attach-profile="matrix=%S/../attach-profile/Inputs/small.mtx order=rows reorder=rcm min=2" \
// RUN:   --astfe-partition="order=rows reorder=rcm leaf=4" | FileCheck %s --check-prefix=KNOWN

// The tensor is renumbered where it is counted; a known profile brings its
// permutations with it.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

// CHECK-LABEL: func.func @f(
// CHECK:         astfe.profile of %{{.*}} order = "hilbert" reorder = "labels" hubs = auto min = 32
// RCM:           astfe.profile of %{{.*}} order = "rows" reorder = "rcm" hubs = 3 min = 256
// KNOWN:         astfe.graph rows [8, 8] permuted {{\[\[}}{{[0-7](, [0-7])*}}], [{{[0-7](, [0-7])*}}]]
// KNOWN-NOT:     astfe.profile of
func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
