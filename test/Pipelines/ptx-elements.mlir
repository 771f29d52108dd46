// REQUIRES: ptxas-sm_90
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed format=binary" -o /dev/null
// RUN: astfe-opt %s --astfe-to-ptx="chip=sm_90 storage=packed" | FileCheck %s

// Bytes are loaded four at a time and summed up in integers, shared rows by atomics.

// CHECK-DAG: ld.global.nc.b32
// CHECK-DAG: mul.wide.s16
// CHECK-DAG: atom.global.add.u32

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @bytes(%A: tensor<?x?xi8, #CSR>, %B: tensor<?x128xi8>, %C: tensor<?x128xi32>)
    -> tensor<?x128xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>,
                                        affine_map<(i, j, k) -> (j, k)>,
                                        affine_map<(i, j, k) -> (i, k)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xi8, #CSR>, tensor<?x128xi8>) outs(%C : tensor<?x128xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %x = arith.extsi %a : i8 to i32
    %y = arith.extsi %b : i8 to i32
    %p = arith.muli %x, %y : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<?x128xi32>
  return %r : tensor<?x128xi32>
}
