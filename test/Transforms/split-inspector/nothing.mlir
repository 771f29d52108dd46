// RUN: astfe-opt %s --astfe-split-inspector --remarks-filter='.*' --remark-policy=all \
// RUN:   --verify-diagnostics | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#view = #astfe.layout<view>

// CHECK-NOT: _prepare

// A view costs nothing.

func.func @view(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// The graph comes from a call, which may have effects.

func.func private @decide() -> !astfe.graph<?x?>

func.func @effects(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %g = func.call @decide() : () -> !astfe.graph<?x?>
  // expected-remark @below {{the pack is in a loop, or what it needs has side effects}}
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
