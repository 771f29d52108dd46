// RUN: astfe-opt %s --verify-roundtrip | FileCheck %s
// RUN: astfe-opt %s --mlir-print-op-generic | astfe-opt | FileCheck %s
// RUN: astfe-opt %s --emit-bytecode | astfe-opt | FileCheck %s

// Every form of a table, as text, as a generic op and in bytecode.

// CHECK: @attributes
// CHECK-SAME: empty = #astfe.graph<rows [4, 1] {} groups [0]>
// CHECK-SAME: known = #astfe.profile<hilbert [4, 4] { b00 : 7  b01 : 1 }>
// CHECK-SAME: measured = #astfe.profile<morton [4, 4] measured [cycles, bytes] { b : 7 (90, ?) } kernel "spmm" target "sm_90" fingerprint 18446744073709551615>
// CHECK-SAME: one = #astfe.profile<rows [4] measured [bytes] { b1 : 2 (16) }>
// CHECK-SAME: panels = #astfe.space<panels(3) [64, 8]>
// CHECK-SAME: part = #astfe.part<hilbert [6, 4] at [2, 0]>
// CHECK-SAME: parts = #astfe.graph<parts [rows [2, 4], hilbert [6, 4] at [2, 0]] of [8, 4] permuted {{\[}}[7, 6, 5, 4, 3, 2, 1, 0], []] { p0.b : 8  p1.b01 : 1 } groups [0, 1, 2]>
func.func private @attributes() attributes {
  empty = #astfe.graph<rows [4, 1] {} groups [0]>,
  known = #astfe.profile<hilbert [4, 4] {b00 : 7 b01 : 1}>,
  measured = #astfe.profile<morton [4, 4] measured [cycles, bytes]
    {b : 7 (90, ?)} kernel "spmm" target "sm_90"
    fingerprint 0xFFFFFFFFFFFFFFFF>,
  one = #astfe.profile<rows [4] measured [bytes] {b1 : 2 (16)}>,
  panels = #astfe.space<panels(3) [64, 8]>,
  part = #astfe.part<hilbert [6, 4] at [2, 0]>,
  parts = #astfe.graph<parts [rows [2, 4], hilbert [6, 4] at [2, 0]] of [8, 4]
    permuted [[7, 6, 5, 4, 3, 2, 1, 0], []]
    {p0.b : 8 p1.b01 : 1} groups [0, 1, 2]>
}

// Many blocks stand in columns.
// CHECK-LABEL: @columns
// CHECK-NEXT:    astfe.graph rows [8, 1] {
// CHECK-NEXT:      b000 : 1     b001 : 22    b010 : 333   b011 : 4444
// CHECK-NEXT:      b100 : 1     b101 : 22    b110 : 333   b111 : 4444
// CHECK-NEXT:    } groups [0, 8] limit 12 threshold 6.250000e-01 : !astfe.graph<8x?>
func.func @columns() -> !astfe.graph<8x?> {
  %g = astfe.graph rows [8, 1] {
    b000 : 1 b001 : 22 b010 : 333 b011 : 4444
    b100 : 1 b101 : 22 b110 : 333 b111 : 4444
  } groups [0, 8] limit 12 threshold 0.625 : !astfe.graph<8x?>
  return %g : !astfe.graph<8x?>
}

// Edges, where they are written, are those that Core derives; none are edges too.
// CHECK-LABEL: @edges
// CHECK-SAME:    alone = #astfe.graph<morton [4, 4] { b : 4 } groups [0, 1] edges {}>
// CHECK-NEXT:    astfe.graph morton [4, 4] { b00 : 4  b01 : 4  b10 : 4  b11 : 4 } groups [0, 2, 4] limit 8 threshold 7.500000e-01 edges {
// CHECK-NEXT:      0 -- 1 axis 1 : 4  0 -- 2 axis 0 : 2
// CHECK-NEXT:      1 -- 3 axis 0 : 2  2 -- 3 axis 1 : 4
// CHECK-NEXT:    } : !astfe.graph<4x4>
func.func @edges() -> !astfe.graph<4x4> attributes {
  alone = #astfe.graph<morton [4, 4] {b : 4} groups [0, 1] edges {}>
} {
  %g = astfe.graph morton [4, 4] { b00 : 4 b01 : 4 b10 : 4 b11 : 4 }
    groups [0, 2, 4] limit 8 threshold 0.75
    edges { 0 -- 1 axis 1 : 4 0 -- 2 axis 0 : 2 1 -- 3 axis 0 : 2
            2 -- 3 axis 1 : 4 } : !astfe.graph<4x4>
  return %g : !astfe.graph<4x4>
}

// CHECK-LABEL: @options
// CHECK:         order = "panels" panel = 12 min = 1 known = <panels(12) [4, 4] { b : 1 }>
// CHECK:         leaf = auto workers = 8
// CHECK:         threshold = 7.500000e-01 workers = 8 waves = 2 min = 16 steps = 1
// CHECK:         threshold = 7.500000e-01 workers = 8 waves = 2 cache = 65536 columns = 128 element_bytes = 2
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @options(%A: tensor<4x4xf32, #CSR>) -> !astfe.graph<4x4> {
  %h = astfe.profile of %A order = "panels" panel = 12 min = 1
    known = <panels(12) [4, 4] {b : 1}>
    : tensor<4x4xf32, #CSR> -> !astfe.profile<4x4>
  %g = astfe.partition %h leaf = auto workers = 8
    : !astfe.profile<4x4> -> !astfe.graph<4x4>
  %r = astfe.refine %g by %h threshold = 0.75 workers = 8 waves = 2 min = 16
    steps = 1 : !astfe.graph<4x4>, !astfe.profile<4x4>
  %f = astfe.fuse %r by %h threshold = 0.75 workers = 8 waves = 2 cache = 65536
    columns = 128 element_bytes = 2 : !astfe.graph<4x4>, !astfe.profile<4x4>
  return %f : !astfe.graph<4x4>
}
