// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s

// What is taken away from the output is added with the other sign.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>
#A = affine_map<(i, j) -> (i, j)>
#x = affine_map<(i, j) -> (j)>
#y = affine_map<(i, j) -> (i)>

// The residual of a linear system.

// CHECK-LABEL: func.func @residual
// CHECK:         astfe.compute
// CHECK:           %[[P:.*]] = arith.mulf
// CHECK-NEXT:      %[[N:.*]] = arith.negf %[[P]]
// CHECK-NEXT:      astfe.yield "addf" %[[N]]
func.func @residual(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                    %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.generic {
      indexing_maps = [#A, #x, #y],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %d = arith.subf %c, %p : f64
    linalg.yield %d : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// CHECK-LABEL: func.func @integers
// CHECK:         astfe.compute
// CHECK:           %[[P:.*]] = arith.muli
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:      %[[N:.*]] = arith.subi %[[ZERO]], %[[P]]
// CHECK-NEXT:      astfe.yield "addi" %[[N]]
func.func @integers(%A: tensor<?x?xi32, #CSR>, %x: tensor<?xi32>,
                    %y: tensor<?xi32>) -> tensor<?xi32> {
  %r = linalg.generic {
      indexing_maps = [#A, #x, #y],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xi32, #CSR>, tensor<?xi32>)
      outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %p = arith.muli %a, %b : i32
    %d = arith.subi %c, %p : i32
    linalg.yield %d : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// CHECK-LABEL: func.func @complex
// CHECK:         astfe.compute
// CHECK:           %[[P:.*]] = complex.mul
// CHECK-NEXT:      %[[N:.*]] = complex.neg %[[P]]
// CHECK-NEXT:      astfe.yield "addf" %[[N]]
func.func @complex(%A: tensor<?x?xcomplex<f32>, #CSR>,
                   %x: tensor<?xcomplex<f32>>, %y: tensor<?xcomplex<f32>>)
    -> tensor<?xcomplex<f32>> {
  %r = linalg.generic {
      indexing_maps = [#A, #x, #y],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xcomplex<f32>, #CSR>, tensor<?xcomplex<f32>>)
      outs(%y : tensor<?xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    %p = complex.mul %a, %b : complex<f32>
    %d = complex.sub %c, %p : complex<f32>
    linalg.yield %d : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}

// The output is taken away from each product: no sum.

// CHECK-LABEL: func.func @turned
// CHECK-NOT:     astfe.compute
// CHECK:         linalg.generic
func.func @turned(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                  %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.generic {
      indexing_maps = [#A, #x, #y],
      iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %d = arith.subf %p, %c : f64
    linalg.yield %d : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}
