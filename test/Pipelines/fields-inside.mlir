// RUN: astfe-opt %s --astfe-hoist-fields | FileCheck %s

// A choice between what was known before and what the region makes is read where
// it is made; one between two known values is read before.

!pair = !llvm.struct<(ptr, i64)>

// CHECK-LABEL: llvm.func @choices(
// CHECK-SAME:    %[[A:[^:]*]]: !llvm.struct<(ptr, i64)>, %[[B:[^:]*]]: !llvm.struct<(ptr, i64)>, %[[C:[^:]*]]: i1
// CHECK-DAG:     %[[A1:.*]] = llvm.extractvalue %[[A]][1]
// CHECK-DAG:     %[[B1:.*]] = llvm.extractvalue %[[B]][1]
// CHECK:         omp.parallel
// CHECK:           %[[INSIDE:.*]] = llvm.insertvalue
// CHECK:           %[[X:.*]] = llvm.select %[[C]], %[[A]], %[[INSIDE]]
// CHECK:           llvm.extractvalue %[[X]][1]
// CHECK:           llvm.select %[[C]], %[[A1]], %[[B1]]
// CHECK:           omp.terminator
llvm.func @use(i64)
llvm.func @choices(%a: !pair, %b: !pair, %c: i1, %n: i64) {
  omp.parallel {
    %inside = llvm.insertvalue %n, %b[1] : !pair
    %x = llvm.select %c, %a, %inside : i1, !pair
    %x1 = llvm.extractvalue %x[1] : !pair
    llvm.call @use(%x1) : (i64) -> ()
    %y = llvm.select %c, %a, %b : i1, !pair
    %y1 = llvm.extractvalue %y[1] : !pair
    llvm.call @use(%y1) : (i64) -> ()
    omp.terminator
  }
  llvm.return
}
