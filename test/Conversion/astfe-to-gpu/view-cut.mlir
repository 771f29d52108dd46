// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-gpu=device-operands | FileCheck %s --check-prefix=DEVICE
// RUN: astfe-opt %s --convert-astfe-to-gpu="device-operands long-rows" | FileCheck %s --check-prefix=LONG

// The host reads how long the rows of a view are before it copies them. Where one
// is long, its pieces go to several warps, and a second launch combines what they
// have summed up.

// CHECK-LABEL: func.func @spmm
// CHECK:         %[[LENGTHS:.*]]:2 = scf.for {{.*}} iter_args(%[[MOST:.*]] = %{{.*}}, %[[BEGIN:.*]] = %{{.*}})
// CHECK:           %[[LENGTH:.*]] = arith.subi %[[END:.*]], %[[BEGIN]] : index
// CHECK:           %[[NEXT:.*]] = arith.maxui %[[MOST]], %[[LENGTH]] : index
// CHECK:           scf.yield %[[NEXT]], %[[END]]
// CHECK:         %[[PIECE:.*]] = arith.maxui %{{.*}}, %c512
// CHECK:         %[[LEAST:.*]] = arith.muli %[[PIECE]], %c3
// CHECK:         %[[SOME:.*]] = arith.cmpi uge, %[[LENGTHS]]#0, %[[LEAST]] : index
// CHECK:         scf.if %[[SOME]] {
// CHECK:           gpu.launch_func @spmm_kernels::@tile8_rows_cut
// CHECK:           gpu.launch_func @spmm_kernels::@combine_rows
// CHECK:         } else {
// CHECK:           gpu.launch_func @spmm_kernels::@tile8_rows blocks
// CHECK-LABEL: gpu.module @spmm_kernels
// CHECK:         gpu.func @tile8_rows(
// CHECK:         gpu.func @tile8_rows_cut(
// CHECK-SAME:      "row_teams", "column_count", "partials", "piece_row", "least", "piece"
// CHECK:         gpu.func @combine_rows(
// CHECK:           gpu.barrier

// In the device's memory it cannot read them: nothing is cut, or whatever is long.

// DEVICE-LABEL: func.func @spmm
// DEVICE-NOT:     combine_rows
// DEVICE-NOT:     scf.for
// DEVICE:         gpu.launch_func @spmm_kernels::@tile8_rows blocks
// DEVICE-NOT:     _cut

// LONG-LABEL: func.func @spmm
// LONG-NOT:     scf.for
// LONG:         gpu.launch_func @spmm_kernels::@tile8_rows_cut
// LONG:         gpu.launch_func @spmm_kernels::@combine_rows

// Samples have nothing to combine: a warp's share ends within rows.

// CHECK-LABEL: gpu.module @sddmm_kernels
// CHECK:         gpu.func @samples128(
// CHECK-NOT:     gpu.func

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

func.func @sddmm(%A: tensor<1000x1000xf32, #CSR>, %v: tensor<?xf32>, %X: tensor<1000x64xf32>,
                 %Y: tensor<1000x64xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<1000x1000xf32, #CSR> -> !astfe.blocked<1000x1000, #L>
  %r = astfe.compute over %P : !astfe.blocked<1000x1000, #L> maps [#ik, #jk, #n]
      ins(%X, %Y : tensor<1000x64xf32>, tensor<1000x64xf32>)
      outs(%v : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 128> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
