// RUN: astfe-opt %s --astfe-fuse-elementwise=keep-destinations | FileCheck %s

// Upstream gives an op that does not read its output an empty one. What is
// stored into a buffer begins from that buffer, and what follows the rows of a
// chain writes the chain's output, as before: a chain holds no empty tensors, and
// a buffer in a device's memory cannot be replaced by one of the host.

#k = affine_map<(k) -> (k)>

// CHECK-LABEL: func.func @stored
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?xf32>, %[[C:[^:]*]]: memref<?xf32>)
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[C]] restrict writable
// CHECK-NOT:     tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[T]] : tensor<?xf32>)
// CHECK:         materialize_in_destination
func.func @stored(%A: tensor<?xf32>, %C: memref<?xf32>) {
  %c = bufferization.to_tensor %C restrict writable
    : memref<?xf32> to tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
      ins(%A : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  bufferization.materialize_in_destination %r in restrict writable %C
    : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// Another buffer than the one that it begins from: as upstream has it.

// CHECK-LABEL: func.func @elsewhere
// CHECK:         tensor.empty
// CHECK:         materialize_in_destination
func.func @elsewhere(%A: tensor<?xf32>, %C: memref<?xf32>, %D: memref<?xf32>) {
  %c = bufferization.to_tensor %C restrict writable
    : memref<?xf32> to tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
      ins(%A : tensor<?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = math.exp %x : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  bufferization.materialize_in_destination %r in restrict writable %D
    : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @chain
// CHECK:         astfe.fused
// CHECK-SAME:      over
// CHECK:           outs(%[[O:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}} : tensor<?xf32>, tensor<?xf32>)
// CHECK-NOT:       tensor.{{empty|dim}}
// CHECK:           linalg.generic {{.*}} outs(%[[L]] : tensor<?xf32>)
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
func.func @chain(%P: !astfe.blocked<?x?, #view>, %A: tensor<?xf32>,
                 %O: tensor<?xf32>, %L: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %f:2 = astfe.fused over %p = %P : !astfe.blocked<?x?, #view>
      ins(%a = %A : tensor<?xf32>) outs(%o = %O, %l = %L : tensor<?xf32>, tensor<?xf32>) {
    %s = astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%x: f32):
      astfe.yield "addf" %x : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%s : tensor<?xf32>) outs(%l : tensor<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      %t = math.log %x : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    astfe.return %s, %r : tensor<?xf32>, tensor<?xf32>
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %f#0, %f#1 : tensor<?xf32>, tensor<?xf32>
}
