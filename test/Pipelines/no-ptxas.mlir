// RUN: rm -f %t.out
// RUN: not bash -c 'PATH=$(dirname $(command -v astfe-opt)) CUDA_ROOT=%t.none astfe-opt %s --astfe-to-ptx="storage=packed format=binary" -o %t.out' 2>&1 | FileCheck %s
// RUN: not test -e %t.out
// RUN: env CUDA_ROOT=%t.none astfe-opt %s --astfe-to-ptx="storage=packed" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx

// A cubin needs ptxas: where there is none that is an error, and nothing is
// written.

// PTX needs no toolkit, so that a wrong one is nobody's business.

// QUIET-NOT: CUDA
// PTX:       .visible .entry
// CHECK:     error: {{.*(CUDA path|ptxas)}}
// CHECK-NOT: Stack dump

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @spmm(%A: tensor<8x8xf32, #CSR>, %B: tensor<8x4xf32>,
                %C: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<8x8xf32, #CSR>, tensor<8x4xf32>)
    outs(%C : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
