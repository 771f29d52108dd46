// RUN: astfe-opt %s --astfe-refine="workers=2 waves=2 min=1" --remarks-filter='.*refine' \
// RUN:   --remark-policy=all 2>&1 | FileCheck %s

// A constant graph is refined now; its edges, which no longer hold, are dropped.

// CHECK: [Passed] added | Category:astfe-refine | Function=f | Remark="computed now"
// CHECK: [Analysis] refined | Category:astfe-refine | Function=f | blocks=6, hottest-after=5, hottest-before=8, limit=3, split=2, steps=1
// CHECK-NOT:  astfe.refine
// CHECK:      %[[G:.*]] = astfe.graph hilbert [8, 8] {
// CHECK-NEXT:   b0000 : 5 b0001 : 1 b001 : 2 b01 : 1
// CHECK-NEXT:   b10 : 2 b11 : 1
// CHECK-NEXT:   } groups [0, 1, 2, 3, 4, 5, 6] limit 3
// CHECK-NOT:  {{= astfe.graph|edges}}
// CHECK:      astfe.pack %{{.*}} by %[[G]]

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// One block of 8 nonzeros on the diagonal of 2x2 blocks is hot; with 2 workers
// and 2 waves T is 12 / 4 = 3.

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
