// RUN: astfe-opt %s --astfe-fuse-elementwise=keep-destinations | FileCheck %s

// Patterns erase stores that nothing reaches, and chains that nobody reads: there is
// nothing to keep then.

#k = affine_map<(k) -> (k)>

// CHECK-LABEL: func.func @store
// CHECK-NOT:     materialize_in_destination
// CHECK:         return
func.func @store(%buf: memref<4xf64>, %a: tensor<4xf64>) {
  cf.br ^bb2
^bb1:
  %t = bufferization.to_tensor %buf restrict writable
    : memref<4xf64> to tensor<4xf64>
  %r = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%t : tensor<4xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = math.exp %x : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  bufferization.materialize_in_destination %r in restrict writable %buf
    : (tensor<4xf64>, memref<4xf64>) -> ()
  cf.br ^bb2
^bb2:
  return
}

// CHECK-LABEL: func.func @chain
// CHECK-NOT:     astfe.fused
// CHECK:         return
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
func.func @chain(%p: memref<?xi32>, %c: memref<?xi32>, %m: index,
                 %A: tensor<?xf32>, %O: tensor<?xf32>, %L: tensor<?xf32>) {
  %P = astfe.view %p, %c[%m, %m] : memref<?xi32>, memref<?xi32>
    -> !astfe.blocked<?x?, #view>
  %f:2 = astfe.fused over %q = %P : !astfe.blocked<?x?, #view>
      ins(%a = %A : tensor<?xf32>) outs(%o = %O, %l = %L : tensor<?xf32>, tensor<?xf32>) {
    %s = astfe.compute over %q : !astfe.blocked<?x?, #view> maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) overwrite {
    ^bb0(%x: f32):
      astfe.yield "addf" %x : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%s : tensor<?xf32>) outs(%l : tensor<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      %t = math.exp %x : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    astfe.return %s, %r : tensor<?xf32>, tensor<?xf32>
  } -> (tensor<?xf32>, tensor<?xf32>)
  return
}
