// RUN: astfe-opt %s --astfe-partition=order=hilbert | FileCheck %s
// RUN: not astfe-opt %s --astfe-partition=order=morton 2>&1 | FileCheck %s --check-prefix=OTHER

// A known profile whose parts have orders of their own, as with hubs, is along
// each of them: it is taken for one and refused for another.

// CHECK: astfe.graph parts [rows [2, 4], hilbert [6, 4] at [2, 0]] of [8, 4]
// OTHER: error: 'astfe.pack' op has a known profile that does not fit: expected order morton but got rows+hilbert

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

func.func @f(%A: tensor<8x4xf32, #CSR> {astfe.profile = #astfe.profile<
    parts [rows [2, 4], hilbert [6, 4] at [2, 0]] of [8, 4]
    {p0.b : 8  p1.b01 : 1}>}) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<8x4xf32, #CSR> -> !astfe.blocked<8x4, #view>
  %v = astfe.values %A in %P
    : tensor<8x4xf32, #CSR>, !astfe.blocked<8x4, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
