// RUN: astfe-opt %s --astfe-print-graph="edges columns=10" -o %t | FileCheck %s

// The bytes of edges are those of the computation over the pattern: 2 shared
// rows of 16 columns in f64 are 256 bytes; where the type has `?`, `columns`
// counts. What nobody multiplies is shown as for one column of 32 bits.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#packed = #astfe.layout<packed, columns = 32,
                        classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK: edge 0 -- 1 axis 1, 256 bytes
func.func @known(%A: tensor<8x8xf64, #CSR>, %B: tensor<8x16xf64>,
                 %C: tensor<8x16xf64>) -> tensor<8x16xf64> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 4] : !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xf64, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #packed>
  %v = astfe.values %A in %P
    : tensor<8x8xf64, #CSR>, !astfe.blocked<8x8, #packed> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<8x8, #packed> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf64>, tensor<8x16xf64>)
      outs(%C : tensor<8x16xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<8x16xf64>
  return %r : tensor<8x16xf64>
}

// CHECK: edge 0 -- 1 axis 1, 160 bytes
func.func @dynamic(%A: tensor<8x8xf64, #CSR>, %B: tensor<8x?xf64>,
                   %C: tensor<8x?xf64>) -> tensor<8x?xf64> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 4] : !astfe.graph<8x8>
  %P = astfe.pack %A by %g
    : tensor<8x8xf64, #CSR>, !astfe.graph<8x8> -> !astfe.blocked<8x8, #packed>
  %v = astfe.values %A in %P
    : tensor<8x8xf64, #CSR>, !astfe.blocked<8x8, #packed> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<8x8, #packed> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf64>, tensor<8x?xf64>)
      outs(%C : tensor<8x?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<8x?xf64>
  return %r : tensor<8x?xf64>
}

// CHECK: edge 0 -- 1 axis 1, 8 bytes
func.func @unread() -> !astfe.graph<8x8> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 4] : !astfe.graph<8x8>
  return %g : !astfe.graph<8x8>
}
