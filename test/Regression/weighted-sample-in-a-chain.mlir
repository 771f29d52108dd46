// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=view" | FileCheck %s
// RUN: %python %S/../Tools/astfe-run/Inputs/attention.py matrix random > %t.mtx
// RUN: astfe-run %s --matrix %t.mtx --device=emulator --storage=view --cols 90 --repeat 1 --check | FileCheck %s --check-prefix=PASSED
// RUN: astfe-run %s --matrix %t.mtx --device=host --storage=view --cols 90 --repeat 1 --check | FileCheck %s --check-prefix=PASSED

// The last dense operand of a sample is a vector along the dimension that is
// summed, of unknown length: the kernel is told the length.

// CHECK: gpu.binary
// PASSED: check passed

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#k = affine_map<(n, i, j, k) -> (k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<61x90, #astfe.layout<view>>
func.func @weighted(%A: tensor<61x90xf32, #CSR>, %X: tensor<61x?xf32>, %Y: tensor<90x?xf32>,
                    %w: tensor<?xf32>, %C: tensor<61x?xf32>) -> tensor<61x?xf32> {
  %P = astfe.pack %A : tensor<61x90xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<61x90xf32, #CSR>, !P -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %count = tensor.dim %v, %c0 : tensor<?xf32>
  %s0 = tensor.empty(%count) : tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #ik, #jk, #k, #n]
      ins(%v, %X, %Y, %w : tensor<?xf32>, tensor<61x?xf32>, tensor<90x?xf32>, tensor<?xf32>)
      outs(%s0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %x: f32, %y: f32, %b: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %b : f32
    %r = arith.mulf %a, %q : f32
    astfe.yield "addf" %r : f32
  } -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%s, %Y : tensor<?xf32>, tensor<90x?xf32>) outs(%C : tensor<61x?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<61x?xf32>
  return %r : tensor<61x?xf32>
}
