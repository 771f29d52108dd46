// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// The runtime says how many teams of two lanes share a row of a view. Lanes load
// nonzeros for themselves, by pointers that begin where their row does.

// CHECK-LABEL: func.func @spmm
// CHECK:         %[[WARPS:.*]] = call @astfe_rt_device_workers()
// CHECK:         %[[LANES:.*]] = arith.index_cast %c2{{[_0-9]*}} : index to i64
// CHECK:         call @astfe_rt_row_teams(%{{.*}}, %{{.*}}, %[[LANES]], %[[WARPS]])
// CHECK:         gpu.launch_func @spmm_kernels::@tile8_rows blocks
// CHECK:         gpu.func @tile8_rows(%{{.*}}, %[[POINTER:arg1]]: memref<i32>
// CHECK:           %[[ALL:.*]] = memref.reinterpret_cast %[[POINTER]] to
// CHECK:           %[[MINE:.*]] = memref.reinterpret_cast %[[ALL]] to offset: [%{{.*}}]
// A row of B has two vectors.
// CHECK:           %[[COLUMN:.*]] = memref.load %[[MINE]]
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:      arith.muli %[[COLUMN]], %[[TWO]] : i32

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<view>

func.func @spmm(%A: tensor<1000x1000xf32, #CSR>, %v: tensor<?xf32>, %B: tensor<1000x8xf32>,
                %C: tensor<1000x8xf32>) -> tensor<1000x8xf32> {
  %P = astfe.pack %A : tensor<1000x1000xf32, #CSR> -> !astfe.blocked<1000x1000, #L>
  %r = astfe.compute over %P : !astfe.blocked<1000x1000, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<1000x8xf32>)
      outs(%C : tensor<1000x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 32> -> tensor<1000x8xf32>
  return %r : tensor<1000x8xf32>
}
