// RUN: astfe-opt %s --astfe-partition --verify-diagnostics

// An attached profile that does not fit its tensor.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

func.func @f(%A: tensor<16x?xf32, #CSR>
               {astfe.profile = #astfe.profile<rows [8, 8] {b0 : 4}>})
    -> tensor<?xf32> {
  // expected-error @below {{has a known profile that does not fit: expected shape 16x? but got 8x8}}
  %P = astfe.pack %A : tensor<16x?xf32, #CSR> -> !astfe.blocked<16x?, #view>
  %v = astfe.values %A in %P
    : tensor<16x?xf32, #CSR>, !astfe.blocked<16x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
