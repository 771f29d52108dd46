// RUN: astfe-opt %s --verify-diagnostics --astfe-check-sparsified
// RUN: astfe-opt %s --verify-diagnostics --astfe-to-cpu -o %t
// RUN: astfe-opt %s --verify-diagnostics --astfe-sparsifier=enable-runtime-library=false -o %t

// A minimum is raised where nothing but what is stored counts, and upstream knows
// none of integers. What follows is not hidden behind the text of a pass that
// fails next to it.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @least(%A: tensor<?x?xi32, #CSR>, %x: tensor<?xi32>, %y: tensor<?xi32>)
    -> tensor<?xi32> {
  // expected-error @+1 {{'linalg.generic' op expected a computation that upstream's sparsification knows, or that is raised, which it was not: the contribution is not provably one that minu ignores where nothing is stored}}
  %r = linalg.generic {indexing_maps = [#all, #column, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xi32, #CSR>, tensor<?xi32>)
      outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %p = arith.muli %a, %b : i32
    %s = arith.minui %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
