// DEFINE: %{options} = enable-runtime-library=true
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="%{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void \
// DEFINE:       -shared-libs=%llvm_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// RUN: %{run}

// Two empty tensors of one type are two output buffers.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

func.func @main() {
  %f0 = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %av = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %ap = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %ac = arith.constant dense<[1, 0, 2]> : tensor<3xi32>
  %a = sparse_tensor.assemble (%ap, %ac), %av
    : (tensor<3xi32>, tensor<3xi32>), tensor<3xf64> to tensor<2x3xf64, #CSR>
  %positions = tensor.empty() : tensor<3xi32>
  %coordinates = tensor.empty() : tensor<3xi32>
  %values = tensor.empty() : tensor<3xf64>
  %p, %c, %v, %pl, %cl, %vl = sparse_tensor.disassemble %a
    : tensor<2x3xf64, #CSR>
    out_lvls(%positions, %coordinates : tensor<3xi32>, tensor<3xi32>)
    out_vals(%values : tensor<3xf64>)
    -> (tensor<3xi32>, tensor<3xi32>), tensor<3xf64>, (i32, i32), index
  // CHECK: ( 0, 1, 3 )
  %vp = vector.transfer_read %p[%c0], %i0 : tensor<3xi32>, vector<3xi32>
  vector.print %vp : vector<3xi32>
  // CHECK-NEXT: ( 1, 0, 2 )
  %vc = vector.transfer_read %c[%c0], %i0 : tensor<3xi32>, vector<3xi32>
  vector.print %vc : vector<3xi32>
  // CHECK-NEXT: ( 1, 2, 3 )
  %vv = vector.transfer_read %v[%c0], %f0 : tensor<3xf64>, vector<3xf64>
  vector.print %vv : vector<3xf64>
  // Assembled tensors hold the constants themselves where no library copies.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %a : tensor<2x3xf64, #CSR>
  }
  bufferization.dealloc_tensor %positions : tensor<3xi32>
  bufferization.dealloc_tensor %coordinates : tensor<3xi32>
  bufferization.dealloc_tensor %values : tensor<3xf64>
  return
}
