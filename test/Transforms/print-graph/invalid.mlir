// RUN: not astfe-opt %s --astfe-print-graph=format=png 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not astfe-opt %s --astfe-print-graph=intensities 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not astfe-opt %s --astfe-print-graph=output=%t.txt 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not astfe-opt %s --astfe-print-graph="format=svg" 2>&1 | FileCheck %s --check-prefix=RANK

// FORMAT:  error: expected option 'format' to be table, dot, json, svg or mlir but got 'png'
// PROFILE: error: 'astfe.graph' op expected the graph to keep its profile, for intensities
// TWO:     error: expected one constant graph to write to '{{.*}}.txt' but got 2
// RANK:    error: 'astfe.graph' op expected a graph of a matrix but got one of rank 3
func.func @f() -> (!astfe.graph<8x8>, !astfe.graph<4x4x4>) {
  %g = astfe.graph hilbert [8, 8] { b00 : 8 } groups [0, 1] : !astfe.graph<8x8>
  %t = astfe.graph morton [4, 4, 4] { b00 : 8 } groups [0, 1]
    : !astfe.graph<4x4x4>
  return %g, %t : !astfe.graph<8x8>, !astfe.graph<4x4x4>
}
