// RUN: astfe-opt %s --astfe-print-graph 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING --input-file=%t.err

// Only constant graphs can be shown; the module comes out as it went in.

// WARNING: warning: expected a constant graph to print but got none: graphs are constant where the profile of their tensor is known

// CHECK-NOT: blocks in
// CHECK: func.func @f(%[[G:.*]]: !astfe.graph<8x8>) -> !astfe.graph<8x8> {
// CHECK-NEXT: return %[[G]]
func.func @f(%g: !astfe.graph<8x8>) -> !astfe.graph<8x8> {
  return %g : !astfe.graph<8x8>
}
