// UNSUPPORTED: asan
// (mlir-runner cannot load what the sanitizer was built into)
// DEFINE: %{options} =
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="enable-runtime-library=false %{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void \
// DEFINE:       -shared-libs=%llvm_lib/libmlir_c_runner_utils.so,%astfe_lib/libastfe_runtime.so \
// DEFINE:   | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = storage=packed
// RUN: %{run}

// The matrix is scaled in place between two products over it, the second of
// which means the matrix as it was: one view for both would read the new values.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {indexing_maps = [affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}

func.func @print(%x: tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f64
  %v = vector.transfer_read %x[%c0], %f0 : tensor<2xf64>, vector<2xf64>
  vector.print %v : vector<2xf64>
  return
}

func.func @scaled(%A: tensor<2x2xf64, #CSR>) -> tensor<2x2xf64, #CSR> {
  %ten = arith.constant 10.0 : f64
  %S = linalg.generic #trait outs(%A : tensor<2x2xf64, #CSR>) {
  ^bb0(%a: f64):
    %s = arith.mulf %a, %ten : f64
    linalg.yield %s : f64
  } -> tensor<2x2xf64, #CSR>
  return %S : tensor<2x2xf64, #CSR>
}

func.func @main() {
  %zero = arith.constant 0.0 : f64
  %dense = arith.constant dense<[[1.0, 0.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %x = arith.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %A = sparse_tensor.convert %dense : tensor<2x2xf64> to tensor<2x2xf64, #CSR>
  %e0 = tensor.empty() : tensor<2xf64>
  %y0 = linalg.fill ins(%zero : f64) outs(%e0 : tensor<2xf64>) -> tensor<2xf64>
  %r0 = linalg.matvec ins(%A, %x : tensor<2x2xf64, #CSR>, tensor<2xf64>)
                      outs(%y0 : tensor<2xf64>) -> tensor<2xf64>
  %S = call @scaled(%A)
    : (tensor<2x2xf64, #CSR>) -> tensor<2x2xf64, #CSR>
  %e1 = tensor.empty() : tensor<2xf64>
  %y1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<2xf64>) -> tensor<2xf64>
  %r1 = linalg.matvec ins(%A, %x : tensor<2x2xf64, #CSR>, tensor<2xf64>)
                      outs(%y1 : tensor<2xf64>) -> tensor<2xf64>
  %e2 = tensor.empty() : tensor<2xf64>
  %y2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<2xf64>) -> tensor<2xf64>
  %r2 = linalg.matvec ins(%S, %x : tensor<2x2xf64, #CSR>, tensor<2xf64>)
                      outs(%y2 : tensor<2xf64>) -> tensor<2xf64>
  // CHECK:      ( 1, 5 )
  call @print(%r0) : (tensor<2xf64>) -> ()
  // CHECK-NEXT: ( 1, 5 )
  call @print(%r1) : (tensor<2xf64>) -> ()
  // CHECK-NEXT: ( 10, 50 )
  call @print(%r2) : (tensor<2xf64>) -> ()
  return
}
