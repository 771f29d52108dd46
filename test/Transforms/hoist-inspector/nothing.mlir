// RUN: astfe-opt %s --astfe-hoist-inspector | FileCheck %s

// A matrix that a trip makes is packed by that trip, and what is not the
// inspector's stays where it is.

// CHECK-LABEL: @f
// CHECK:         scf.for
// CHECK:           tensor.empty
// CHECK:           sparse_tensor.convert
// CHECK:           astfe.pack

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

func.func private @use(tensor<?xf32>, tensor<8xf32>)

func.func @f(%D: tensor<?x8x8xf32>, %trips: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %trips step %c1 {
    %e = tensor.empty() : tensor<8xf32>
    %d = tensor.extract_slice %D[%i, 0, 0] [1, 8, 8] [1, 1, 1]
      : tensor<?x8x8xf32> to tensor<8x8xf32>
    %A = sparse_tensor.convert %d : tensor<8x8xf32> to tensor<8x8xf32, #CSR>
    %P = astfe.pack %A : tensor<8x8xf32, #CSR> -> !astfe.blocked<8x8, #view>
    %v = astfe.values %A in %P
      : tensor<8x8xf32, #CSR>, !astfe.blocked<8x8, #view> -> tensor<?xf32>
    func.call @use(%v, %e) : (tensor<?xf32>, tensor<8xf32>) -> ()
  }
  return
}
