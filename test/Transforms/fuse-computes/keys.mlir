// RUN: astfe-opt %s --astfe-fuse-computes | FileCheck %s

// Values that were arranged by one mode are read again as they are by that mode
// only.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : compressed, k : compressed)
}>
#packed = #astfe.layout<packed, columns = 32, classes = [scattered]>

// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[V:[^:, ]*]]: tensor<?xf32>
// CHECK-NOT:     astfe.values
// CHECK:         return %[[V]]
func.func @same(%T: tensor<4x4x4xf32, #CSF>, %v: tensor<?xf32>,
    %P: !astfe.blocked<4x4x4, #packed>) -> tensor<?xf32> {
  %S = astfe.unpack %v in %P like %T key = 1
    : tensor<?xf32>, !astfe.blocked<4x4x4, #packed>, tensor<4x4x4xf32, #CSF>
  %w = astfe.values %S in %P key = 1
    : tensor<4x4x4xf32, #CSF>, !astfe.blocked<4x4x4, #packed> -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// CHECK-LABEL: func.func @other(
// CHECK:         %[[S:.*]] = astfe.unpack
// CHECK:         %[[W:.*]] = astfe.values %[[S]] in %{{.*}} key = 2
// CHECK:         return %[[W]]
func.func @other(%T: tensor<4x4x4xf32, #CSF>, %v: tensor<?xf32>,
    %P: !astfe.blocked<4x4x4, #packed>) -> tensor<?xf32> {
  %S = astfe.unpack %v in %P like %T key = 1
    : tensor<?xf32>, !astfe.blocked<4x4x4, #packed>, tensor<4x4x4xf32, #CSF>
  %w = astfe.values %S in %P key = 2
    : tensor<4x4x4xf32, #CSF>, !astfe.blocked<4x4x4, #packed> -> tensor<?xf32>
  return %w : tensor<?xf32>
}
