// RUN: astfe-opt %s --convert-linalg-to-astfe="target=gpu storage=packed" | FileCheck %s
// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py matrix random > %t.mtx
// RUN: astfe-run %s --matrix %t.mtx --device=emulator --storage=packed --repeat 1 --check | FileCheck %s --check-prefix=PASSED
// RUN: astfe-run %s --matrix %t.mtx --device=host --storage=packed --repeat 1 --check | FileCheck %s --check-prefix=PASSED

// A product reads two values of each nonzero, and sums by columns: a GPU packs the
// transpose of the pattern, in which both are seen.

// CHECK-COUNT-2: sparse_tensor.reinterpret_map
// CHECK:         astfe.compute over %{{.*}} : !astfe.blocked<90x61, #view>
// PASSED:        check passed

#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#ijx = affine_map<(i, j, x) -> (i, j)>
#ix = affine_map<(i, j, x) -> (i, x)>
#jx = affine_map<(i, j, x) -> (j, x)>
func.func @both(%A: tensor<61x90xf64, #DCSR>, %r: tensor<61xf64>, %B: tensor<61x8xf64>,
                %C: tensor<90x8xf64>) -> tensor<90x8xf64> {
  %e = tensor.empty() : tensor<61x90xf64, #DCSR>
  %s = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%A, %r : tensor<61x90xf64, #DCSR>, tensor<61xf64>) outs(%e : tensor<61x90xf64, #DCSR>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %t = arith.mulf %a, %b : f64
    linalg.yield %t : f64
  } -> tensor<61x90xf64, #DCSR>
  %c = linalg.generic {indexing_maps = [#ijx, #ijx, #ix, #jx],
                       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%s, %A, %B : tensor<61x90xf64, #DCSR>, tensor<61x90xf64, #DCSR>, tensor<61x8xf64>)
      outs(%C : tensor<90x8xf64>) {
  ^bb0(%a: f64, %d: f64, %b: f64, %o: f64):
    %t = arith.addf %a, %d : f64
    %u = arith.mulf %t, %b : f64
    %v = arith.addf %o, %u : f64
    linalg.yield %v : f64
  } -> tensor<90x8xf64>
  return %c : tensor<90x8xf64>
}
