// REQUIRES: ptxas-sm_90
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed format=binary" -o /dev/null
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed" | FileCheck %s

// Halves are summed up in f32 and rounded as they are stored; nothing adds to them at
// once, so that rows of several workers have partial rows, which nobody asked for.

// CHECK:     deterministic
// CHECK:     cvt.f32.bf16
// CHECK-NOT: atom.global
// CHECK:     fma.rn.f32
// CHECK-NOT: atom.global
// CHECK:     cvt.rn.bf16x2.f32
// CHECK-NOT: atom.global

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @halves(%A: tensor<?x?xbf16, #CSR>, %B: tensor<?x128xbf16>, %C: tensor<?x128xbf16>)
    -> tensor<?x128xbf16> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                                        affine_map<(i, j, k) -> (j, k)>,
                                        affine_map<(i, j, k) -> (i, k)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xbf16, #CSR>, tensor<?x128xbf16>)
      outs(%C : tensor<?x128xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16):
    %p = arith.mulf %a, %b : bf16
    %s = arith.addf %c, %p : bf16
    linalg.yield %s : bf16
  } -> tensor<?x128xbf16>
  return %r : tensor<?x128xbf16>
}
