// RUN: not astfe-opt %s --astfe-refine=threshold=0.5 2>&1 | FileCheck %s --check-prefix=TAU
// RUN: not astfe-opt %s --astfe-refine=threshold=high 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not astfe-opt %s --astfe-refine="workers=0" 2>&1 | FileCheck %s --check-prefix=CORE

// TAU:  error: expected option 'threshold' to be auto, or above 0.5 and below 1 but got '0.5'
// TEXT: error: expected option 'threshold' to be auto, or above 0.5 and below 1 but got 'high'
// CORE: error: expected option 'workers' to be at least 1 but got '0'

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 3, 4] {astfe.profile = #astfe.profile<hilbert [8, 8] {
      b0000 : 5  b0001 : 1  b0010 : 2  b01 : 1  b10 : 2  b11 : 1 }>}
    : !astfe.graph<?x?>
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
