// RUN: astfe-opt %s --astfe-fuse-elementwise=keep-destinations | FileCheck %s

// A buffer is written where its tensor may be, and where nobody reads what it held.

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>

// The load has what was there before the store.

// CHECK-LABEL: func.func @not_writable
// CHECK-NOT:     to_tensor
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[E]] : tensor<4xf64>)
// CHECK:         memref.load
func.func @not_writable(%buf: memref<4xf64>, %a: tensor<4xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %buf restrict : memref<4xf64> to tensor<4xf64>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%t : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = math.exp %x : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  %old = memref.load %buf[%c0] : memref<4xf64>
  bufferization.materialize_in_destination %r in writable %buf
    : (tensor<4xf64>, memref<4xf64>) -> ()
  return %old : f64
}

// CHECK-LABEL: func.func @read_behind
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[E]] : tensor<4xf64>)
// CHECK:         tensor.extract
func.func @read_behind(%buf: memref<4xf64>, %a: tensor<4xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %buf restrict writable
    : memref<4xf64> to tensor<4xf64>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%t : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = math.exp %x : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  %old = tensor.extract %t[%c0] : tensor<4xf64>
  bufferization.materialize_in_destination %r in restrict writable %buf
    : (tensor<4xf64>, memref<4xf64>) -> ()
  return %old : f64
}

// CHECK-LABEL: func.func @read_before
// CHECK:         %[[T:.*]] = bufferization.to_tensor
// CHECK:         tensor.extract %[[T]]
// CHECK:         linalg.generic {{.*}} outs(%[[T]] : tensor<4xf64>)
func.func @read_before(%buf: memref<4xf64>, %a: tensor<4xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %buf restrict writable
    : memref<4xf64> to tensor<4xf64>
  %old = tensor.extract %t[%c0] : tensor<4xf64>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%t : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = math.exp %x : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  bufferization.materialize_in_destination %r in restrict writable %buf
    : (tensor<4xf64>, memref<4xf64>) -> ()
  return %old : f64
}

// Each element is written where it is read, but not in a transpose.

// CHECK-LABEL: func.func @in_place
// CHECK:         %[[T:.*]] = bufferization.to_tensor
// CHECK-NOT:     tensor.empty
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[T]] : tensor<4x4xf64>)
func.func @in_place(%buf: memref<4x4xf64>) {
  %t = bufferization.to_tensor %buf restrict writable
    : memref<4x4xf64> to tensor<4x4xf64>
  %r = linalg.generic {indexing_maps = [#ij, #ij],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4x4xf64>) outs(%t : tensor<4x4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = math.exp %x : f64
    linalg.yield %s : f64
  } -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %buf
    : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @transposed
// CHECK:         %[[T:.*]] = bufferization.to_tensor
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[E]] : tensor<4x4xf64>)
func.func @transposed(%buf: memref<4x4xf64>) {
  %t = bufferization.to_tensor %buf restrict writable
    : memref<4x4xf64> to tensor<4x4xf64>
  %r = linalg.generic {indexing_maps = [#ji, #ij],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<4x4xf64>) outs(%t : tensor<4x4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = math.exp %x : f64
    linalg.yield %s : f64
  } -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %buf
    : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}
