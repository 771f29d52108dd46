// RUN: astfe-opt %s --astfe-fuse="workers=1 waves=2" --remarks-filter='.*fuse' \
// RUN:   --remark-policy=all 2>&1 | FileCheck %s

// A constant graph is fused now; its edges, which no longer hold, are dropped.

// CHECK: [Passed] added | Category:astfe-fuse | Function=f | Remark="computed now"
// CHECK: [Analysis] fused | Category:astfe-fuse | Function=f | blocks=4, groups=2, joined=2, merged=0,
// CHECK-NOT:  astfe.fuse
// CHECK:      %[[G:.*]] = astfe.graph hilbert [8, 8] {
// CHECK-NOT:  {{= astfe.graph|edges}}
// CHECK:      astfe.pack %{{.*}} by %[[G]]

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 3, 4]
    edges { 0 -- 1 axis 1 : 2  0 -- 3 axis 0 : 1
            1 -- 2 axis 0 : 0  2 -- 3 axis 1 : 0 }
    {astfe.profile = #astfe.profile<hilbert [8, 8] {
      b0000 : 5  b0001 : 1  b0010 : 2  b01 : 1  b10 : 2  b11 : 1 }>}
    : !astfe.graph<?x?>
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
