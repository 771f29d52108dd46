// DEFINE: %{options} = enable-runtime-library=true
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="%{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void \
// DEFINE:       -shared-libs=%llvm_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// RUN: %{run}

// Two conversions of one tensor are two: one is scaled in place, the other is
// not.

#SV = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
#trait = {indexing_maps = [affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}

func.func @main() {
  %two = arith.constant 2.0 : f64
  %dense = arith.constant dense<[0.0, 1.0, 0.0, 3.0]> : tensor<4xf64>
  %a = sparse_tensor.convert %dense : tensor<4xf64> to tensor<4xf64, #SV>
  %b = sparse_tensor.convert %dense : tensor<4xf64> to tensor<4xf64, #SV>
  %scaled = linalg.generic #trait outs(%a : tensor<4xf64, #SV>) {
  ^bb0(%x: f64):
    %y = arith.mulf %x, %two : f64
    linalg.yield %y : f64
  } -> tensor<4xf64, #SV>
  // CHECK: values : ( 2, 6 )
  sparse_tensor.print %scaled : tensor<4xf64, #SV>
  // CHECK: values : ( 1, 3 )
  sparse_tensor.print %b : tensor<4xf64, #SV>
  bufferization.dealloc_tensor %scaled : tensor<4xf64, #SV>
  bufferization.dealloc_tensor %b : tensor<4xf64, #SV>
  return
}
