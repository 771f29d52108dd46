// RUN: astfe-opt %s --split-input-file --astfe-to-cpu=storage=packed --remarks-filter='(astfe-.*fuse.*)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: astfe-opt %s --split-input-file --astfe-sparsifier=expected-runs=100 --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=scalar-loop --implicit-check-not=unfused

// Columns that are summed into rows run in parallel through all stages: a matrix
// that is stored by columns is packed whatever that costs, since one worker would
// run what is stored. A chain keeps its kernel, and where nobody hands on what
// is sparse, upstream makes that, and its reader sums.

// CHECK: [Passed] raised {{.*}} Function=stored_by_columns
// CHECK: [Passed] vectors {{.*}} Function=stored_by_columns | emitters="row_segments{{.*}}, sums in lanes of 8"
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed),
                                posWidth = 32, crdWidth = 32}>
func.func @stored_by_columns(%A: tensor<37x53xf64, #CSC>, %B: tensor<53x13xf64>,
                             %y: tensor<37xf64>) -> tensor<37xf64> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                       affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%A, %B : tensor<37x53xf64, #CSC>, tensor<53x13xf64>)
      outs(%y : tensor<37xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    linalg.yield %s : f64
  } -> tensor<37xf64>
  return %r : tensor<37xf64>
}

// -----

// CHAIN: [Passed] fused {{.*}} Function=chain
// CHAIN-NOT: unfused
// CHECK: [Missed] kept {{.*}} Function=chain
// CHECK: [Passed] raised {{.*}} Function=chain
// CHECK: [Passed] vectors {{.*}} Function=chain | emitters="rows, sums in lanes of 16"
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
func.func @chain(%A: tensor<37x53xf32, #CSR>, %X: tensor<37x16xf32>,
                 %Y: tensor<53x16xf32>, %B: tensor<53x32xf32>,
                 %y: tensor<37xf32>) -> tensor<37xf32> {
  %e = tensor.empty() : tensor<37x53xf32, #CSR>
  %S = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                       affine_map<(i, j, k) -> (i, k)>,
                       affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %X, %Y : tensor<37x53xf32, #CSR>, tensor<37x16xf32>,
          tensor<53x16xf32>) outs(%e : tensor<37x53xf32, #CSR>) {
  ^bb0(%a: f32, %x: f32, %z: f32, %c: f32):
    %p = arith.mulf %x, %z : f32
    %q = arith.mulf %a, %p : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  } -> tensor<37x53xf32, #CSR>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                       affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%S, %B : tensor<37x53xf32, #CSR>, tensor<53x32xf32>)
      outs(%y : tensor<37xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<37xf32>
  return %r : tensor<37xf32>
}
