// RUN: astfe-opt %s --astfe-partition="order=panels panel=6 min=32 workers=7" | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

// CHECK-LABEL: func.func @f(
// CHECK:         astfe.profile of %{{.*}} order = "panels" panel = 6 min = 32
// CHECK:         astfe.partition %{{.*}} leaf = auto workers = 7
func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
