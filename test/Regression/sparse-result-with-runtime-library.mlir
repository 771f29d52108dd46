// RUN: astfe-opt %s --astfe-sparsifier | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier=storage=packed | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier --remarks-filter='.*linalg-to-astfe' 2>&1 | FileCheck %s --check-prefix=WHY

// Upstream's runtime library, which is the default, copies no sparse tensor: what
// gives one is upstream's.

// CHECK-LABEL: llvm.func @square
// CHECK:         llvm.call @lexInsertF64
// WHY: the output is sparse and not only read by other computations, and upstream's runtime library copies no sparse tensor

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>

func.func @square(%A: tensor<8x8xf64, #CSR>) -> tensor<8x8xf64, #CSR> {
  %e = tensor.empty() : tensor<8x8xf64, #CSR>
  %r = linalg.generic
      {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<8x8xf64, #CSR>) outs(%e : tensor<8x8xf64, #CSR>) {
  ^bb0(%a: f64, %o: f64):
    %q = arith.mulf %a, %a : f64
    linalg.yield %q : f64
  } -> tensor<8x8xf64, #CSR>
  return %r : tensor<8x8xf64, #CSR>
}
