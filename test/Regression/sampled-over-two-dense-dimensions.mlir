// RUN: astfe-opt %s --astfe-sparsifier=enable-runtime-library=true | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier=enable-runtime-library=false | FileCheck %s

// With upstream's runtime library sparse results are upstream's unless only
// computations read them; a sum over two dense dimensions, which are made one
// before it is raised, is looked at like any other.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

// CHECK: llvm.func @sampled
func.func @sampled(%A: tensor<8x9xf64, #CSR>, %x: tensor<8x4x5xf64>,
                   %y: tensor<9x4x5xf64>) -> tensor<8x9xf64, #CSR> {
  %e = tensor.empty() : tensor<8x9xf64, #CSR>
  %S = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, l) -> (i, j)>,
                       affine_map<(i, j, k, l) -> (i, k, l)>,
                       affine_map<(i, j, k, l) -> (j, k, l)>,
                       affine_map<(i, j, k, l) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%A, %x, %y : tensor<8x9xf64, #CSR>, tensor<8x4x5xf64>,
                       tensor<9x4x5xf64>)
      outs(%e : tensor<8x9xf64, #CSR>) {
  ^bb0(%a: f64, %p: f64, %q: f64, %o: f64):
    %m = arith.mulf %p, %q : f64
    %n = arith.mulf %a, %m : f64
    %r = arith.addf %o, %n : f64
    linalg.yield %r : f64
  } -> tensor<8x9xf64, #CSR>
  return %S : tensor<8x9xf64, #CSR>
}
