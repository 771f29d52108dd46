// RUN: astfe-opt %s --astfe-print-graph="format=mlir edges" -o /dev/null | FileCheck %s
// RUN: astfe-opt %s --astfe-print-graph="format=mlir edges output=%t.op" -o /dev/null
// RUN: astfe-opt %t.op | FileCheck %s
// RUN: astfe-opt %s --astfe-print-graph=format=mlir -o /dev/null | FileCheck %s --check-prefix=ASIS
// RUN: astfe-opt %s --astfe-print-graph="format=mlir edges" -o %t.after | FileCheck %s
// RUN: FileCheck %s --check-prefix=ASIS --input-file=%t.after

// The op with its edges is IR that the verifier accepts; the module keeps its
// own.

// CHECK: astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 } groups [0, 2, 4] limit 9 edges {
// CHECK-NEXT: 0 -- 1 axis 1 : 2 0 -- 3 axis 0 : 1
// CHECK-NEXT: 1 -- 2 axis 0 : 0 2 -- 3 axis 1 : 0
// CHECK-NEXT: } : !astfe.graph<8x?>

// ASIS: astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 } groups [0, 2, 4] limit 9 : !astfe.graph<8x?>

func.func @f() -> !astfe.graph<8x?> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 2, 4] limit 9 : !astfe.graph<8x?>
  return %g : !astfe.graph<8x?>
}
