// RUN: astfe-opt %s --convert-astfe-to-gpu --canonicalize --cse | FileCheck %s

// In a dense tile rows of B for two columns are on their way at the same time,
// before the first of them is multiplied by.

// CHECK-LABEL: gpu.func @tile64(
// CHECK:         scf.for {{.*}} step %c2_i32 iter_args
// CHECK:           vector.load {{.*}} vector<2xf32>
// CHECK-NOT:       arith.mulf
// CHECK:           vector.load {{.*}} vector<2xf32>
// CHECK:           arith.mulf

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered, dense_tile], target = gpu>

func.func @spmm(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[dense_tile], column_tile = 64> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
