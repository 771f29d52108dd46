// RUN: astfe-opt %s --astfe-attach-profile="matrix=%S/Inputs/small.mtx order=rows min=3" | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>

// Rows 0 and 1 hold 5 nonzeros, so that bin is split down to cells of fewer
// than 3; rows 2 and 3 hold 2 and stay one bin.

// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %{{.*}}: tensor<?x?xf32, #{{.*}}> {astfe.profile = #astfe.profile<rows [8, 8] {
// CHECK:         b001 : 2
// CHECK:         b01 : 2
// CHECK:         b10 : 2
// CHECK:         %{{.*}}: tensor<?xf32>)
func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>) {
  return
}

// Profile ops learn it too.

// CHECK-LABEL: func.func @counted(
// CHECK:         astfe.profile of %{{.*}} order = "rows" min = 16 known = <rows [8, 8] {
func.func @counted(%A: tensor<8x?xf32, #CSR>) -> !astfe.profile<8x?> {
  %h = astfe.profile of %A order = "rows" min = 16
    : tensor<8x?xf32, #CSR> -> !astfe.profile<8x?>
  return %h : !astfe.profile<8x?>
}

// One that is known is not searched, and of a transpose nothing is known.

// CHECK-LABEL: func.func @searched(
// CHECK:         astfe.profile of %{{.*}} order = "rows" min = 16 known = <rows [8, 8] {
// CHECK-NOT:     search
// CHECK:         %[[T:.*]] = sparse_tensor.reinterpret_map
// CHECK:         astfe.profile of %[[T]] order = "rows" min = 16 search = <
func.func @searched(%A: tensor<8x?xf32, #CSR>)
    -> (!astfe.profile<8x?>, !astfe.profile<?x8>) {
  %h = astfe.profile of %A order = "rows" min = 16
    search = <columns = 8, element_bytes = 4, runs = 100>
    : tensor<8x?xf32, #CSR> -> !astfe.profile<8x?>
  %T = sparse_tensor.reinterpret_map %A
    : tensor<8x?xf32, #CSR> to tensor<?x8xf32, #CSC>
  %t = astfe.profile of %T order = "rows" min = 16
    search = <columns = 8, element_bytes = 4, runs = 100>
    : tensor<?x8xf32, #CSC> -> !astfe.profile<?x8>
  return %h, %t : !astfe.profile<8x?>, !astfe.profile<?x8>
}
