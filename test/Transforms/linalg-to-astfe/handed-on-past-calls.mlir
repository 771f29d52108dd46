// RUN: astfe-opt %s --pass-pipeline='builtin.module(convert-linalg-to-astfe{sparse-outputs=false},astfe-fuse-computes)' | FileCheck %s
// RUN: astfe-opt %s --convert-linalg-to-astfe=sparse-outputs=false --remarks-filter='.*linalg-to-astfe' 2>&1 | FileCheck %s --check-prefix=REMARKS

// A sampled product has its matrix's pattern past a call that gets the matrix,
// if the callee only reads it, as does what that calls. One that may write it
// ends the pattern, and the product is upstream's.

// REMARKS:      [Passed] raised | Category:convert-linalg-to-astfe | Function=read
// REMARKS:      [Passed] raised | Category:convert-linalg-to-astfe | Function=read
// REMARKS:      [Missed] kept | Category:convert-linalg-to-astfe | Function=written

// CHECK-LABEL: func.func @read(
// CHECK-NOT:     astfe.unpack
// CHECK:         %[[P:.*]] = astfe.pack
// CHECK:         call @outer
// CHECK-NOT:     astfe.pack
// CHECK:         astfe.fused over %[[IN:.*]] = %[[P]]
// CHECK-COUNT-2:   astfe.compute over %[[IN]]

// CHECK-LABEL: func.func @written(
// CHECK:         linalg.generic
// CHECK:         call @elsewhere

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#sampled = {
  indexing_maps = [affine_map<(i, j, d) -> (i, j)>,
                   affine_map<(i, j, d) -> (i, d)>,
                   affine_map<(i, j, d) -> (j, d)>,
                   affine_map<(i, j, d) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}

func.func private @elsewhere(%A: tensor<4x4xf64, #CSR>)

func.func private @inner(%A: tensor<4x4xf64, #CSR>) -> index {
  %n = sparse_tensor.number_of_entries %A : tensor<4x4xf64, #CSR>
  return %n : index
}

func.func private @outer(%A: tensor<4x4xf64, #CSR>) -> index {
  %n = func.call @inner(%A) : (tensor<4x4xf64, #CSR>) -> index
  return %n : index
}

func.func @read(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>,
                %C: tensor<4x2xf64>) -> (tensor<4x2xf64>, index) {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #sampled
      ins(%A, %X, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>)
      outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<4x4xf64, #CSR>
  %n = func.call @outer(%A) : (tensor<4x4xf64, #CSR>) -> index
  %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %r, %n : tensor<4x2xf64>, index
}

func.func @written(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>,
                   %C: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #sampled
      ins(%A, %X, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>)
      outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<4x4xf64, #CSR>
  func.call @elsewhere(%A) : (tensor<4x4xf64, #CSR>) -> ()
  %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %r : tensor<4x2xf64>
}
