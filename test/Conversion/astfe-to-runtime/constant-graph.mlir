// RUN: astfe-opt %s --convert-astfe-to-scf | FileCheck %s

// A constant graph is the text of its file in a private global, once for equal
// graphs.

// CHECK-COUNT-1: memref.global "private" constant @astfe_graph
// CHECK-NOT:     memref.global
// CHECK-LABEL:   func.func @graphs(
// CHECK:           %[[TEXT:.*]] = memref.get_global @astfe_graph
// CHECK:           %[[ANY:.*]] = memref.cast %[[TEXT]] : memref<{{.*}}xi8> to memref<?xi8>
// CHECK:           call @astfe_rt_graph(%[[ANY]]) : (memref<?xi8>) -> !llvm.ptr
// CHECK:           memref.get_global @astfe_graph
func.func @graphs() -> (!astfe.graph<4x4>, !astfe.graph<4x4>) {
  %g = astfe.graph hilbert [4, 4] { b00 : 3 b01 : 2 } groups [0, 1, 2]
    : !astfe.graph<4x4>
  %h = astfe.graph hilbert [4, 4] { b00 : 3 b01 : 2 } groups [0, 1, 2]
    : !astfe.graph<4x4>
  return %g, %h : !astfe.graph<4x4>, !astfe.graph<4x4>
}
