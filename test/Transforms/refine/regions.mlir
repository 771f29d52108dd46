// RUN: astfe-opt %s --astfe-refine | FileCheck %s

// Patterns in sibling regions share a constant graph: what replaces it is where
// it was, not beside one of them.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#L = #astfe.layout<packed, columns = 32, classes = [scattered]>
!P = !astfe.blocked<8x8, #L>

// CHECK-LABEL: @regions
// CHECK:         %[[G:.*]] = astfe.graph hilbert
// CHECK-NOT:     astfe.graph hilbert
// CHECK:         scf.if
// CHECK:           astfe.pack %{{.*}} by %[[G]]
// CHECK:         else
// CHECK:           astfe.pack %{{.*}} by %[[G]]
func.func @regions(%A: tensor<8x8xf32, #CSR>, %c: i1) -> tensor<?xf32> {
  %g = astfe.graph hilbert [8, 8] {b00 : 4  b01 : 3  b10 : 2  b11 : 9}
      groups [0, 1, 2, 3, 4] {astfe.profile = #astfe.profile<hilbert [8, 8]
      {b00 : 4  b01 : 3  b10 : 2  b110 : 5  b111 : 4}>} : !astfe.graph<8x8>
  %r = scf.if %c -> tensor<?xf32> {
    %P = astfe.pack %A by %g : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !P
    %v = astfe.values %A in %P : tensor<8x8xf32, #CSR>, !P -> tensor<?xf32>
    scf.yield %v : tensor<?xf32>
  } else {
    %P = astfe.pack %A by %g : tensor<8x8xf32, #CSR>, !astfe.graph<8x8> -> !P
    %v = astfe.values %A in %P : tensor<8x8xf32, #CSR>, !P -> tensor<?xf32>
    scf.yield %v : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
