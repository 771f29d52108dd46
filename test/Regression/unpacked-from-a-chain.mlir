// RUN: astfe-opt %s --astfe-to-cpu="storage=packed" -o /dev/null
// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-fuse-computes | FileCheck %s
// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py matrix random > %t.mtx
// RUN: astfe-run %s --matrix %t.mtx --device=host --storage=packed --repeat 1 --check | FileCheck %s --check-prefix=PASSED
// RUN: astfe-run %s --matrix %t.mtx --device=emulator --storage=packed --repeat 1 --check | FileCheck %s --check-prefix=PASSED

// A chain of two branches, which see the pattern by an op each, makes a tensor that
// is returned. It was unpacked from the other branch's pattern, which was packed
// while the chain ran over the view: values came in another order.

// CHECK:     %[[P:.*]] = astfe.pack
// CHECK-NOT: astfe.pack
// CHECK:     astfe.fused over %{{.*}} = %[[P]]
// CHECK:     astfe.unpack %{{.*}} in %[[P]]
// PASSED:    check passed

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @both(%A: tensor<61x90xf32, #CSC>, %r: tensor<61xf32>, %w: tensor<61xf32>,
                %B: tensor<61x4xf32>, %C: tensor<90x4xf32>, %D: tensor<90x4xf32>)
    -> (tensor<90x4xf32>, tensor<61x90xf32, #CSC>) {
  %e1 = tensor.empty() : tensor<61x90xf32, #CSC>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, j)>, affine_map<(i, j, d) -> (i, d)>,
                                        affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B, %D : tensor<61x90xf32, #CSC>, tensor<61x4xf32>, tensor<90x4xf32>)
      outs(%e1 : tensor<61x90xf32, #CSC>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %t = arith.mulf %b, %d : f32
    %v = arith.mulf %a, %t : f32
    %q = arith.addf %o, %v : f32
    linalg.yield %q : f32
  } -> tensor<61x90xf32, #CSC>
  %e2 = tensor.empty() : tensor<61x90xf32, #CSC>
  %u = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%A, %r : tensor<61x90xf32, #CSC>, tensor<61xf32>) outs(%e2 : tensor<61x90xf32, #CSC>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<61x90xf32, #CSC>
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<90xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e3 : tensor<90xf32>) -> tensor<90xf32>
  %l = linalg.generic {indexing_maps = [#ij, #i, #j], iterator_types = ["reduction", "parallel"]}
      ins(%s, %w : tensor<61x90xf32, #CSC>, tensor<61xf32>) outs(%f : tensor<90xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    %v = arith.addf %o, %t : f32
    linalg.yield %v : f32
  } -> tensor<90xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j, x) -> (i, j)>, affine_map<(i, j, x) -> (i, x)>,
                                        affine_map<(i, j, x) -> (j)>, affine_map<(i, j, x) -> (j, x)>],
                       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%u, %B, %l : tensor<61x90xf32, #CSC>, tensor<61x4xf32>, tensor<90xf32>)
      outs(%C : tensor<90x4xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %t = arith.mulf %a, %d : f32
    %v = arith.mulf %t, %b : f32
    %q = arith.addf %o, %v : f32
    linalg.yield %q : f32
  } -> tensor<90x4xf32>
  return %c, %u : tensor<90x4xf32>, tensor<61x90xf32, #CSC>
}
