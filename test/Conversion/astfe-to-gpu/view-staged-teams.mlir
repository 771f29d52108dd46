// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// Eight lanes have 32 columns. Each loads a nonzero of a view's row, as long as
// the longest row of the warp, and the team reads them from shared memory. A
// warp whose rows are empty reads nothing. Rows that are cut, or added to, are walked without.

// CHECK-LABEL: gpu.func @tile32_teams_rows(
// CHECK-SAME:    workgroup(
// CHECK:         arith.maxsi
// CHECK:         %[[MOST:.*]] = arith.maxsi
// CHECK:         %[[LONGEST:.*]], %{{.*}} = gpu.shuffle idx %[[MOST]]
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt, %[[LONGEST]], %c0
// CHECK:         scf.if %[[SOME]]
// CHECK:           memref.load
// CHECK:           scf.for {{.*}} to %[[LONGEST]] step
// CHECK:             nvvm.bar.warp.sync
// CHECK:             memref.store
// CHECK:             memref.store
// CHECK:             nvvm.bar.warp.sync
// The next ones, before these are multiplied.
// CHECK:             scf.if
// CHECK-COUNT-2:       memref.load
// CHECK:             vector.load {{.*}} vector<4xi32>
// CHECK:             vector.load {{.*}} vector<4xf32>
// CHECK-LABEL: gpu.func @tile32_teams_rows_cut(
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         gpu.return

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<view>

func.func @spmm(%A: tensor<1000x1000xf32, #CSR>, %v: tensor<?xf32>, %B: tensor<1000x32xf32>,
                %C: tensor<1000x32xf32>) -> tensor<1000x32xf32> {
  %P = astfe.pack %A : tensor<1000x1000xf32, #CSR> -> !astfe.blocked<1000x1000, #L>
  %r = astfe.compute over %P : !astfe.blocked<1000x1000, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<1000x32xf32>)
      outs(%C : tensor<1000x32xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 32> -> tensor<1000x32xf32>
  return %r : tensor<1000x32xf32>
}
