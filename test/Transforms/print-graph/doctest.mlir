// RUN: astfe-opt %s --astfe-print-graph="format=table boxes" -o %t | FileCheck %s --strict-whitespace --match-full-lines

// CHECK:graph hilbert 8x8: 4 blocks in 3 groups, 12 nonzeros
// CHECK-NEXT: block  group  prefix  nonzeros  box
// CHECK-NEXT:     0      0  00             8  [0, 4) x [0, 4)
// CHECK-NEXT:     1      1  01             1  [0, 4) x [4, 8)
// CHECK-NEXT:     2      2  10             2  [4, 8) x [4, 8)
// CHECK-NEXT:     3      2  11             1  [4, 8) x [0, 4)

func.func @f() -> !astfe.graph<8x8> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 4] {astfe.profile = #astfe.profile<hilbert [8, 8] {
      b0000 : 5  b0001 : 1  b0010 : 2  b01 : 1  b10 : 2  b11 : 1 }>}
    : !astfe.graph<8x8>
  return %g : !astfe.graph<8x8>
}
