// UNSUPPORTED: asan
// (mlir-runner cannot load what the sanitizer was built into)
// DEFINE: %{options} = storage=view
// DEFINE: %{print} = mlir-runner -e main -entry-point-result=void \
// DEFINE:   -shared-libs=%llvm_lib/libmlir_c_runner_utils.so,%astfe_lib/libastfe_runtime.so \
// DEFINE:   | FileCheck %s
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="enable-runtime-library=false %{options}" \
// DEFINE:   | %{print}
// RUN: %{run}
// RUN: mlir-opt %s --sparsifier="enable-runtime-library=false" | %{print}
// REDEFINE: %{options} = storage=packed
// RUN: %{run}
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false" -o /dev/null \
// RUN:   --remarks-filter='convert-linalg-to-astfe|astfe-fuse-computes' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: [Missed] kept | Category:convert-linalg-to-astfe | Function=writtenSamples | Reason="the output is sparse, and its values are written through sparse_tensor.values"
// REMARK: [Missed] kept-apart | Category:astfe-fuse-computes | Function=sampled | Reason="its values are written through sparse_tensor.values, perhaps in between"

// A sampled product and a product over the samples would be one chain, in the place
// of the second. The values of the matrix are written between the two, and the first
// means those that were there before. The samples are written, too, before the
// second reads them.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#sample = {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                            affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
           iterator_types = ["parallel", "parallel", "reduction"]}

func.func private @print(%x: tensor<2x2xf64>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f64
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x2xf64> into tensor<4xf64>
  %v = vector.transfer_read %y[%c0], %f0 : tensor<4xf64>, vector<4xf64>
  vector.print %v : vector<4xf64>
  return
}

func.func @sampled(%A: tensor<2x2xf64, #CSR>, %X: tensor<2x2xf64>) -> (tensor<2x2xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %hundred = arith.constant 100.0 : f64
  %E = tensor.empty() : tensor<2x2xf64, #CSR>
  %S = linalg.generic #sample
      ins(%A, %X, %X : tensor<2x2xf64, #CSR>, tensor<2x2xf64>, tensor<2x2xf64>)
      outs(%E : tensor<2x2xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %s: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %t = arith.addf %s, %q : f64
    linalg.yield %t : f64
  } -> tensor<2x2xf64, #CSR>
  %v = sparse_tensor.values %A : tensor<2x2xf64, #CSR> to memref<?xf64>
  memref.store %hundred, %v[%c0] : memref<?xf64>
  %e = tensor.empty() : tensor<2x2xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<2x2xf64>) -> tensor<2x2xf64>
  %r = linalg.matmul ins(%S, %X : tensor<2x2xf64, #CSR>, tensor<2x2xf64>)
                     outs(%z : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}

func.func @writtenSamples(%A: tensor<2x2xf64, #CSR>, %X: tensor<2x2xf64>) -> (tensor<2x2xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %hundred = arith.constant 100.0 : f64
  %E = tensor.empty() : tensor<2x2xf64, #CSR>
  %S = linalg.generic #sample
      ins(%A, %X, %X : tensor<2x2xf64, #CSR>, tensor<2x2xf64>, tensor<2x2xf64>)
      outs(%E : tensor<2x2xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %s: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %t = arith.addf %s, %q : f64
    linalg.yield %t : f64
  } -> tensor<2x2xf64, #CSR>
  %v = sparse_tensor.values %S : tensor<2x2xf64, #CSR> to memref<?xf64>
  memref.store %hundred, %v[%c0] : memref<?xf64>
  %e = tensor.empty() : tensor<2x2xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<2x2xf64>) -> tensor<2x2xf64>
  %r = linalg.matmul ins(%S, %X : tensor<2x2xf64, #CSR>, tensor<2x2xf64>)
                     outs(%z : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}

func.func @main() {
  %dense = arith.constant dense<[[1.0, 0.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %X = arith.constant dense<[[1.0, 2.0], [1.0, 1.0]]> : tensor<2x2xf64>
  %A = sparse_tensor.convert %dense : tensor<2x2xf64> to tensor<2x2xf64, #CSR>
  %r0 = call @sampled(%A, %X)
    : (tensor<2x2xf64, #CSR>, tensor<2x2xf64>) -> tensor<2x2xf64>
  // CHECK:      ( 5, 10, 12, 18 )
  call @print(%r0) : (tensor<2x2xf64>) -> ()
  // CHECK-NEXT: ( 500, 1000, 12, 18 )
  %r1 = call @sampled(%A, %X)
    : (tensor<2x2xf64, #CSR>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%r1) : (tensor<2x2xf64>) -> ()
  // CHECK-NEXT: ( 100, 200, 12, 18 )
  %r2 = call @writtenSamples(%A, %X)
    : (tensor<2x2xf64, #CSR>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%r2) : (tensor<2x2xf64>) -> ()
  return
}
