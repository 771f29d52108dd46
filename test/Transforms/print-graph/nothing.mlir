// RUN: astfe-opt %s --astfe-print-graph | FileCheck %s

// Only constant graphs can be shown; the module comes out as it went in.

// CHECK-NOT: blocks in
// CHECK: func.func @f(%[[G:.*]]: !astfe.graph<8x8>) -> !astfe.graph<8x8> {
// CHECK-NEXT: return %[[G]]
func.func @f(%g: !astfe.graph<8x8>) -> !astfe.graph<8x8> {
  return %g : !astfe.graph<8x8>
}
