// RUN: astfe-opt %s --astfe-sparsifier=enable-runtime-library=false | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false storage=packed" | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu=storage=packed | FileCheck %s
// RUN: astfe-opt %s --convert-linalg-to-astfe --convert-astfe-to-runtime | FileCheck %s --check-prefix=COPY

// Upstream has no copy of a tensor whose levels are not its dimensions (the
// process ended in sparse-reinterpret-map), so the copy is made by levels.

// CHECK-LABEL: llvm.func @square
// COPY-LABEL:  func.func @square
// COPY-SAME:     %[[A:.*]]: tensor<8x6xf64, #[[$CSC:.*]]>)
// COPY:          %[[LEVELS:.*]] = sparse_tensor.reinterpret_map %[[A]]
// COPY-SAME:       to tensor<6x8xf64, #[[$CSR:.*]]>
// COPY:          %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[LEVELS]])
// COPY:          %[[R:.*]] = sparse_tensor.reinterpret_map %[[COPY]]
// COPY-SAME:       to tensor<8x6xf64, #[[$CSC]]>
// COPY:          return %[[R]]

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>

func.func @square(%A: tensor<8x6xf64, #CSC>) -> tensor<8x6xf64, #CSC> {
  %e = tensor.empty() : tensor<8x6xf64, #CSC>
  %r = linalg.generic
      {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<8x6xf64, #CSC>) outs(%e : tensor<8x6xf64, #CSC>) {
  ^bb0(%a: f64, %o: f64):
    %q = arith.mulf %a, %a : f64
    linalg.yield %q : f64
  } -> tensor<8x6xf64, #CSC>
  return %r : tensor<8x6xf64, #CSC>
}
