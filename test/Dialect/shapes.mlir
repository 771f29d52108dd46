// RUN: astfe-opt %s --resolve-ranked-shaped-type-result-dims | FileCheck %s

// As many values as nonzeros, unless tiles are filled up with zeros.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#finite = #astfe.layout<packed, columns = 32,
                        classes = [row_segments, scattered, dense_tile],
                        assume_finite>

// CHECK-LABEL: @exact
// CHECK:         %[[N:.*]] = sparse_tensor.number_of_entries
// CHECK:         return %[[N]]
func.func @exact(%A: tensor<8x8xf32, #CSR>, %P: !astfe.blocked<8x8, #pack>)
    -> index {
  %c0 = arith.constant 0 : index
  %v = astfe.values %A in %P
    : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #pack> -> tensor<?xf32>
  %n = tensor.dim %v, %c0 : tensor<?xf32>
  return %n : index
}

// CHECK-LABEL: @filled
// CHECK:         %[[V:.*]] = astfe.values
// CHECK:         %[[N:.*]] = tensor.dim %[[V]]
// CHECK:         return %[[N]]
func.func @filled(%A: tensor<8x8xf32, #CSR>, %P: !astfe.blocked<8x8, #finite>)
    -> index {
  %c0 = arith.constant 0 : index
  %v = astfe.values %A in %P
    : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #finite> -> tensor<?xf32>
  %n = tensor.dim %v, %c0 : tensor<?xf32>
  return %n : index
}
