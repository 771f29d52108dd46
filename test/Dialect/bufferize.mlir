// RUN: astfe-opt %s --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --canonicalize --split-input-file | FileCheck %s

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// The output is written in place.
// CHECK-LABEL: @in_place
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !astfe.blocked
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<8xf32>
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         astfe.compute over %[[P]]
// CHECK-NEXT:      ins(%[[X]] : memref<8xf32>) outs(%[[Y]] : memref<4xf32>)
// CHECK:           astfe.yield "addf"
// CHECK:         } kernel <[scattered], column_tile = 0>
// CHECK:         return %[[Y]]
func.func @in_place(%P: !P, %x: tensor<8xf32>,
                    %y: tensor<4xf32> {bufferization.writable = true})
    -> tensor<4xf32> {
  %r = astfe.compute over %P : !P maps [#k, #i]
      ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } kernel <[scattered], column_tile = 0> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// An output that is still read afterwards is copied first.
// CHECK-LABEL: @out_of_place
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<4xf32>
// CHECK:         %[[COPY:.*]] = memref.alloc
// CHECK:         memref.copy %[[Y]], %[[COPY]]
// CHECK:         outs(%[[COPY]] : memref<4xf32>)
// CHECK:         return %[[COPY]], %[[Y]]
func.func @out_of_place(%P: !P, %x: tensor<8xf32>,
                        %y: tensor<4xf32> {bufferization.writable = true})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = astfe.compute over %P : !P maps [#k, #i]
      ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } -> tensor<4xf32>
  return %r, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// What is overwritten is not copied, even where it is still read afterwards.
// CHECK-LABEL: @overwritten
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<4xf32>
// CHECK:         %[[NEW:.*]] = memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         outs(%[[NEW]] : memref<4xf32>) overwrite {
// CHECK:         return %[[NEW]], %[[Y]]
func.func @overwritten(%P: !P, %x: tensor<8xf32>,
                       %y: tensor<4xf32> {bufferization.writable = true})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %r = astfe.compute over %P : !P maps [#k, #i]
      ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>) overwrite {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } -> tensor<4xf32>
  return %r, %y : tensor<4xf32>, tensor<4xf32>
}
