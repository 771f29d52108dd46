// RUN: not astfe-opt %s --astfe-print-graph=format=bogus 2>&1 | FileCheck %s

// An option is read even where there is no graph to show.

// CHECK: error: expected option 'format' to be table, dot, json, svg or mlir but got 'bogus'
module {
}
