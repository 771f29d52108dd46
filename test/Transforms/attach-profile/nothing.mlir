// RUN: astfe-opt %s --astfe-attach-profile=matrix=%S/Inputs/small.mtx | FileCheck %s

// Dense arguments have no profile.

// CHECK-NOT: astfe.profile
func.func @dense(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
