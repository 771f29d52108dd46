// DEFINE: %{options} = enable-runtime-library=true
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="%{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void \
// DEFINE:       -shared-libs=%llvm_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// RUN: %{run}

// Two empty sparse tensors are two: what is inserted into one is not in the
// other.

#SV = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %a = tensor.empty() : tensor<8xf64, #SV>
  %a1 = tensor.insert %f1 into %a[%c1] : tensor<8xf64, #SV>
  %a2 = sparse_tensor.load %a1 hasInserts : tensor<8xf64, #SV>
  // CHECK: nse = 1
  // CHECK: values : ( 1 )
  sparse_tensor.print %a2 : tensor<8xf64, #SV>
  %b = tensor.empty() : tensor<8xf64, #SV>
  %b1 = scf.for %i = %c0 to %c2 step %c1
      iter_args(%t = %b) -> tensor<8xf64, #SV> {
    %u = tensor.insert %f2 into %t[%i] : tensor<8xf64, #SV>
    scf.yield %u : tensor<8xf64, #SV>
  }
  %b2 = sparse_tensor.load %b1 hasInserts : tensor<8xf64, #SV>
  // CHECK: nse = 2
  // CHECK: values : ( 2, 2 )
  sparse_tensor.print %b2 : tensor<8xf64, #SV>
  bufferization.dealloc_tensor %a2 : tensor<8xf64, #SV>
  bufferization.dealloc_tensor %b2 : tensor<8xf64, #SV>
  return
}
