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

// -----

#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// What others wrote onto the op stays there.
// CHECK-LABEL: @attributes
// CHECK:         outs({{.*}} : memref<4xf32>) attributes {note = "degrees"} {
func.func @attributes(%P: !P, %x: tensor<8xf32>,
                      %y: tensor<4xf32> {bufferization.writable = true})
    -> tensor<4xf32> {
  %r = astfe.compute over %P : !P maps [#k, #i]
      ins(%x : tensor<8xf32>) outs(%y : tensor<4xf32>)
      attributes {note = "degrees"} {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// The region works on the buffers of the operands; nothing is allocated for
// locals, which stay what they are.
// CHECK-LABEL: @fused
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !astfe.blocked
// CHECK-SAME:    %[[V:[a-z0-9]+]]: memref<?xf32>
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         astfe.fused over %[[PP:.*]] = %[[P]]
// CHECK-NEXT:      ins(%[[A:.*]] = %[[V]] : memref<?xf32>)
// CHECK-NEXT:      outs(%[[O:.*]] = %[[Y]] : memref<4xf32>) {
// CHECK-NEXT:      %[[S:.*]] = astfe.local over %[[PP]] at #{{.*}} -> memref<?xf32>
// CHECK-NEXT:      astfe.compute over %[[PP]]
// CHECK-NEXT:        ins(%[[A]] : memref<?xf32>) outs(%[[S]] : memref<?xf32>) overwrite
// CHECK:           astfe.compute over %[[PP]]
// CHECK-NEXT:        ins(%[[S]] : memref<?xf32>) outs(%[[O]] : memref<4xf32>)
// CHECK:           linalg.generic {{.*}} outs(%[[O]] : memref<4xf32>)
// CHECK-NOT:       astfe.return
// CHECK:         return %[[Y]]
func.func @fused(%P: !P, %v: tensor<?xf32>,
                 %y: tensor<4xf32> {bufferization.writable = true})
    -> tensor<4xf32> {
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<4xf32>) {
    %s0 = astfe.local over %p at #n : !P -> tensor<?xf32>
    %s = astfe.compute over %p : !P maps [#n, #n]
        ins(%a : tensor<?xf32>) outs(%s0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      %z = math.exp %t : f32
      astfe.yield "addf" %z : f32
    } -> tensor<?xf32>
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%s : tensor<?xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<4xf32>
    %o1 = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]}
        outs(%t : tensor<4xf32>) {
    ^bb0(%u: f32):
      %z = arith.negf %u : f32
      linalg.yield %z : f32
    } -> tensor<4xf32>
    astfe.return %o1 : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

// An output that is still read is copied, unless it is overwritten.
// CHECK-LABEL: @fused_out_of_place
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<4xf32>
// CHECK:         memref.alloc
// CHECK:         memref.copy
// CHECK:         astfe.fused
// CHECK:         memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         astfe.fused
func.func @fused_out_of_place(%P: !P, %v: tensor<?xf32>,
                              %y: tensor<4xf32> {bufferization.writable = true})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<4xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<4xf32>
    astfe.return %t : tensor<4xf32>
  } -> tensor<4xf32>
  %s = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<4xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<4xf32>
    astfe.return %t : tensor<4xf32>
  } -> tensor<4xf32>
  return %r, %s, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
