// RUN: astfe-opt %s --astfe-refine --remarks-filter='.*' --remark-policy=all \
// RUN:   --verify-diagnostics | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#view = #astfe.layout<view>

// A view has no graph.

// CHECK-LABEL: func.func @view(
// CHECK-NOT:     astfe.refine
func.func @view(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// Nobody knows the profile of this one.

// CHECK-LABEL: func.func @given(
// CHECK-NOT:     astfe.refine
func.func @given(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> tensor<?xf32> {
  // expected-remark @below {{the graph has no profile}}
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
