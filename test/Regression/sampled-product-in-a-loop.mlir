// UNSUPPORTED: asan
// DEFINE: %{options} = enable-runtime-library=true
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="%{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void \
// DEFINE:       -shared-libs=%llvm_lib/libmlir_c_runner_utils.so,%astfe_lib/libastfe_runtime.so \
// DEFINE:   | FileCheck %s
// RUN: mlir-opt %s --sparsifier | mlir-runner -e main -entry-point-result=void \
// RUN:   -shared-libs=%llvm_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// RUN: %{run}
// REDEFINE: %{options} = storage=packed
// RUN: %{run}
// RUN: astfe-opt %s --astfe-sparsifier --remarks-filter='.*linalg-to-astfe' 2>&1 | FileCheck %s --check-prefix=RAISED
// RUN: astfe-opt %s --pass-pipeline='builtin.module(convert-linalg-to-astfe{sparse-outputs=false},astfe-fuse-computes)' | FileCheck %s --check-prefix=VALUES

// A sampled product that a loop and a branch read: its values are handed on,
// over one pattern, and no sparse tensor is made, which upstream's runtime
// library, the default, would have to copy. One that is returned is upstream's.

// CHECK:      ( ( 88, 103 ), ( 64, 253 ), ( 1, 1 ), ( 730, 1546 ) )
// CHECK-NEXT: ( ( 29, 34 ), ( 21, 84 ), ( 0, 0 ), ( 243, 515 ) )
// CHECK:      values : ( 2, 4, 6, 8, 10, 12 )

// RAISED: [Passed] raised | Category:convert-linalg-to-astfe | Function=f
// RAISED: [Passed] raised | Category:convert-linalg-to-astfe | Function=f
// RAISED: [Passed] raised | Category:convert-linalg-to-astfe | Function=f
// RAISED: [Missed] kept | Category:convert-linalg-to-astfe | Function=returned | Reason="the output is sparse

// VALUES-LABEL: func.func @f(
// VALUES-NOT:     astfe.unpack
// VALUES:         %[[P:.*]] = astfe.pack
// VALUES-NOT:     astfe.pack
// VALUES:         %[[S:.*]] = astfe.compute over %[[P]]
// VALUES:         scf.for
// VALUES-NOT:     astfe.pack
// VALUES:           astfe.compute over %[[P]]
// VALUES-NEXT:        ins(%[[S]],
// VALUES:         scf.if
// VALUES-NOT:     astfe.pack
// VALUES:           astfe.compute over %[[P]]
// VALUES-NEXT:        ins(%[[S]],

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#sampled = {
  indexing_maps = [affine_map<(i, j, d) -> (i, j)>,
                   affine_map<(i, j, d) -> (i, d)>,
                   affine_map<(i, j, d) -> (j, d)>,
                   affine_map<(i, j, d) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
#scaled = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @f(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>, %C: tensor<4x2xf64>,
             %go: i1) -> (tensor<4x2xf64>, tensor<4x2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<4x2xf64>
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
  %looped = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %C) -> tensor<4x2xf64> {
    %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                       outs(%c : tensor<4x2xf64>) -> tensor<4x2xf64>
    scf.yield %r : tensor<4x2xf64>
  }
  %chosen = scf.if %go -> tensor<4x2xf64> {
    %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                       outs(%zero : tensor<4x2xf64>) -> tensor<4x2xf64>
    scf.yield %r : tensor<4x2xf64>
  } else {
    scf.yield %zero : tensor<4x2xf64>
  }
  return %looped, %chosen : tensor<4x2xf64>, tensor<4x2xf64>
}

func.func @returned(%A: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR> {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #scaled ins(%A : tensor<4x4xf64, #CSR>)
                              outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %o: f64):
    %q = arith.addf %a, %a : f64
    linalg.yield %q : f64
  } -> tensor<4x4xf64, #CSR>
  return %S : tensor<4x4xf64, #CSR>
}

func.func @show(%t: tensor<4x2xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %v = vector.transfer_read %t[%c0, %c0], %zero : tensor<4x2xf64>, vector<4x2xf64>
  vector.print %v : vector<4x2xf64>
  return
}

func.func @main() {
  %go = arith.constant true
  %d = arith.constant dense<[[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 3.0],
                             [0.0, 0.0, 0.0, 0.0], [4.0, 5.0, 0.0, 6.0]]> : tensor<4x4xf64>
  %A = sparse_tensor.convert %d : tensor<4x4xf64> to tensor<4x4xf64, #CSR>
  %X = arith.constant dense<[[1.0, 2.0], [3.0, 1.0], [2.0, 2.0], [1.0, 4.0]]> : tensor<4x2xf64>
  %C = arith.constant dense<1.0> : tensor<4x2xf64>
  %r:2 = call @f(%A, %X, %C, %go) : (tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>, i1) -> (tensor<4x2xf64>, tensor<4x2xf64>)
  call @show(%r#0) : (tensor<4x2xf64>) -> ()
  call @show(%r#1) : (tensor<4x2xf64>) -> ()
  %S = call @returned(%A) : (tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  sparse_tensor.print %S : tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %A : tensor<4x4xf64, #CSR>
  return
}
