// RUN: astfe-opt %s --astfe-partition=storage=view | FileCheck %s --check-prefix=VIEW
// RUN: astfe-opt %s --astfe-partition --remarks-filter='.*' --remark-policy=all \
// RUN:   --verify-diagnostics | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#pack = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>

// VIEW-NOT: astfe.partition

// What is packed already keeps its layout.

// CHECK-LABEL: func.func @packed(
// CHECK-NOT:     astfe.partition
// CHECK:         astfe.pack %{{.*}} by %{{.*}} -> !astfe.blocked<?x?, #pack>
func.func @packed(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> tensor<?xf32> {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// CHECK-LABEL: func.func @escapes(
// CHECK-NOT:     astfe.partition
func.func @escapes(%A: tensor<?x?xf32, #CSR>) -> !astfe.blocked<?x?, #view> {
  // expected-remark @below {{the pattern leaves the function}}
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  return %P : !astfe.blocked<?x?, #view>
}
