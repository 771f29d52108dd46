// RUN: rm -f %t.again.mlir
// RUN: not astfe-opt %s --astfe-to-ptx=storage=packed --mlir-pass-pipeline-crash-reproducer=%t.again.mlir 2>&1 | FileCheck %s
// RUN: not astfe-opt %t.again.mlir --run-reproducer 2>&1 | FileCheck %s

// What a pipeline fails on can be run again from the file that it leaves.

// CHECK: error: 'linalg.generic' op expected a computation that a kernel is made of, but it is left to the host: expected a body that reads scalars of type f32 from outside on a GPU but it reads one of type i32

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#i = affine_map<(i, j) -> (i)>

func.func @scaled(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                  %y: tensor<?xf32>, %s: i32) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#ij, #j, #i],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %f = arith.sitofp %s : i32 to f32
    %q = arith.mulf %p, %f : f32
    %t = arith.addf %c, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
