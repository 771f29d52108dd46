// REQUIRES: ptxas-sm_90
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_80 storage=packed format=binary" -o /dev/null
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed format=binary" -o /dev/null
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed" | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=view" | FileCheck %s

// Truth values are loaded as bytes, four at a time, and nothing is added to by atomics.

// CHECK-NOT: atom.global
// CHECK:     ld.global.nc.b32
// CHECK-NOT: atom.global

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @reach(%A: tensor<?x?xi1, #CSR>, %B: tensor<?x128xi1>, %C: tensor<?x128xi1>)
    -> tensor<?x128xi1> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                                        affine_map<(i, j, k) -> (j, k)>,
                                        affine_map<(i, j, k) -> (i, k)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xi1, #CSR>, tensor<?x128xi1>) outs(%C : tensor<?x128xi1>) {
  ^bb0(%a: i1, %b: i1, %c: i1):
    %p = arith.andi %a, %b : i1
    %s = arith.ori %c, %p : i1
    linalg.yield %s : i1
  } -> tensor<?x128xi1>
  return %r : tensor<?x128xi1>
}
