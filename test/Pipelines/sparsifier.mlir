// DEFINE: %{options} =
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=false %{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void -shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// DEFINE:   | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = vl=8
// RUN: %{run}
// REDEFINE: %{options} = reassociate-fp-reductions=true enable-index-optimizations=true fma=false
// RUN: %{run}

// Kernels in the manner of upstream's integration tests: some that ASTFE
// matches, some that it leaves to upstream, in one program.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>
#id = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

func.func @spmv(%A: tensor<3x4xf64, #CSR>, %x: tensor<4xf64>) -> tensor<3xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %r = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                     outs(%zero : tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

func.func @spmv_csc(%A: tensor<3x4xf64, #CSC>, %x: tensor<4xf64>)
    -> tensor<3xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %r = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSC>, tensor<4xf64>)
                     outs(%zero : tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

// A product, then a sum over it of a kind that is not matched: the two meet on
// a plain tensor.

func.func @chain(%A: tensor<3x4xf64, #CSR>, %D: tensor<3x4xf64, #DCSR>,
                 %x: tensor<4xf64>) -> tensor<3xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %one = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                       outs(%zero : tensor<3xf64>) -> tensor<3xf64>
  %two = linalg.matvec ins(%D, %x : tensor<3x4xf64, #DCSR>, tensor<4xf64>)
                       outs(%one : tensor<3xf64>) -> tensor<3xf64>
  return %two : tensor<3xf64>
}

// Scaling the values is fused into the product.

func.func @scaled(%A: tensor<3x4xf64, #CSR>, %x: tensor<4xf64>)
    -> tensor<3xf64> {
  %two = arith.constant 2.0 : f64
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %empty = tensor.empty() : tensor<3x4xf64, #CSR>
  %S = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<3x4xf64, #CSR>) outs(%empty : tensor<3x4xf64, #CSR>) {
  ^bb0(%a: f64, %s: f64):
    %m = arith.mulf %a, %two : f64
    linalg.yield %m : f64
  } -> tensor<3x4xf64, #CSR>
  %r = linalg.matvec ins(%S, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>)
                     outs(%zero : tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

func.func @spmm(%A: tensor<3x4xf64, #CSR>, %B: tensor<4x2xf64>)
    -> tensor<3x2xf64> {
  %zero = arith.constant dense<0.0> : tensor<3x2xf64>
  %r = linalg.matmul ins(%A, %B : tensor<3x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%zero : tensor<3x2xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}

// Nothing here is ASTFE's: the sum of all values.

func.func @total(%A: tensor<3x4xf64, #CSR>) -> f64 {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #none],
                       iterator_types = ["reduction", "reduction"]}
      ins(%A : tensor<3x4xf64, #CSR>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %s: f64):
    %t = arith.addf %s, %a : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  %t = tensor.extract %r[] : tensor<f64>
  return %t : f64
}

func.func private @print(%x: tensor<3xf64>) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f64
  %v = vector.transfer_read %x[%c0], %f0 : tensor<3xf64>, vector<3xf64>
  vector.print %v : vector<3xf64>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f64
  %dense = arith.constant dense<[[1.0, 0.0, 2.0, 0.0],
                                 [0.0, 0.0, 0.0, 0.0],
                                 [0.0, 3.0, 0.0, 4.0]]> : tensor<3x4xf64>
  %x = arith.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf64>
  %B = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]>
    : tensor<4x2xf64>
  %A = sparse_tensor.convert %dense : tensor<3x4xf64> to tensor<3x4xf64, #CSR>
  %At = sparse_tensor.convert %dense : tensor<3x4xf64> to tensor<3x4xf64, #CSC>
  %D = sparse_tensor.convert %dense : tensor<3x4xf64> to tensor<3x4xf64, #DCSR>

  // CHECK: ( 201, 0, 4030 )
  %0 = call @spmv(%A, %x)
    : (tensor<3x4xf64, #CSR>, tensor<4xf64>) -> tensor<3xf64>
  call @print(%0) : (tensor<3xf64>) -> ()
  // CHECK-NEXT: ( 201, 0, 4030 )
  %1 = call @spmv_csc(%At, %x)
    : (tensor<3x4xf64, #CSC>, tensor<4xf64>) -> tensor<3xf64>
  call @print(%1) : (tensor<3xf64>) -> ()
  // CHECK-NEXT: ( 402, 0, 8060 )
  %2 = call @chain(%A, %D, %x)
    : (tensor<3x4xf64, #CSR>, tensor<3x4xf64, #DCSR>, tensor<4xf64>)
    -> tensor<3xf64>
  call @print(%2) : (tensor<3xf64>) -> ()
  // CHECK-NEXT: ( 402, 0, 8060 )
  %3 = call @scaled(%A, %x)
    : (tensor<3x4xf64, #CSR>, tensor<4xf64>) -> tensor<3xf64>
  call @print(%3) : (tensor<3xf64>) -> ()
  // CHECK-NEXT: ( ( 11, 14 ), ( 0, 0 ), ( 37, 44 ) )
  %4 = call @spmm(%A, %B)
    : (tensor<3x4xf64, #CSR>, tensor<4x2xf64>) -> tensor<3x2xf64>
  %v = vector.transfer_read %4[%c0, %c0], %f0
    : tensor<3x2xf64>, vector<3x2xf64>
  vector.print %v : vector<3x2xf64>
  // CHECK-NEXT: 10
  %5 = call @total(%A) : (tensor<3x4xf64, #CSR>) -> f64
  vector.print %5 : f64
  return
}
