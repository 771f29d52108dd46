// RUN: astfe-opt %s --verify-roundtrip --convert-astfe-to-runtime | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-runtime | astfe-opt --verify-roundtrip --convert-astfe-to-runtime | FileCheck %s

// A view becomes one of buffers, read where the computation is; the computation
// stays on tensors. Twice is once.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#view = #astfe.layout<view>

// CHECK-LABEL: @csr
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4x?xf32
// CHECK-NOT:     astfe.pack
// CHECK:         scf.if
// CHECK-DAG:       %[[P:.*]] = sparse_tensor.positions %[[A]]
// CHECK-DAG:       %[[C:.*]] = sparse_tensor.coordinates %[[A]]
// CHECK-DAG:       %[[N:.*]] = arith.constant 4 : index
// CHECK-DAG:       %[[M:.*]] = tensor.dim %[[A]]
// CHECK:           %[[V:.*]] = astfe.view %[[P]], %[[C]][%[[N]], %[[M]]] : memref<?xi32>, memref<?xi32>
// CHECK:           %[[B:.*]] = sparse_tensor.values %[[A]]
// CHECK:           %[[T:.*]] = bufferization.to_tensor %[[B]] restrict
// CHECK:           astfe.compute over %[[V]]
// CHECK-NEXT:        ins(%[[T]],
func.func @csr(%A: tensor<4x?xf32, #CSR>, %x: tensor<?xf32>, %y: tensor<4xf32>,
               %go: i1) -> tensor<4xf32> {
  %P = astfe.pack %A : tensor<4x?xf32, #CSR> -> !astfe.blocked<4x?, #view>
  %v = astfe.values %A in %P
    : tensor<4x?xf32, #CSR>, !astfe.blocked<4x?, #view> -> tensor<?xf32>
  %r = scf.if %go -> tensor<4xf32> {
    %s = astfe.compute over %P : !astfe.blocked<4x?, #view>
        maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
              affine_map<(n, i, j) -> (i)>]
        ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %p = arith.mulf %a, %b : f32
      astfe.yield "addf" %p : f32
    } -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @csc
// CHECK:         astfe.view {{.*}} by_columns : memref<?xindex>, memref<?xindex>
func.func @csc(%A: tensor<?x?xf32, #CSC>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSC>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %s = astfe.compute over %P : !astfe.blocked<?x?, #view>
      maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
            affine_map<(n, i, j) -> (i)>]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
