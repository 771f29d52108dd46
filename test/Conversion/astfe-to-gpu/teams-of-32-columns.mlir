// RUN: astfe-opt %s --convert-astfe-to-gpu=device-operands | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s --check-prefix=ALIGNED

// As many columns as a warp has lanes: teams of 8 lanes of f32, and for operands
// that are not aligned a lane for each column, in a kernel of another name. Rows of
// f64 take 16 lanes, so that a warp would have two teams: it has none.

// CHECK-LABEL: func.func @single
// CHECK:         gpu.launch_func @single_kernels::@tile32_teams blocks
// CHECK:         gpu.launch_func @single_kernels::@tile32 blocks
// CHECK-LABEL: func.func @double
// CHECK-NOT:     tile32_teams
// CHECK:       gpu.module @single_kernels

// ALIGNED-LABEL: func.func @single
// ALIGNED:         gpu.launch_func @single_kernels::@tile32_teams blocks
// ALIGNED-NOT:     gpu.launch_func
// ALIGNED-LABEL: func.func @double
// ALIGNED:         gpu.launch_func @double_kernels::@tile32 blocks

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>

func.func @single(%P: !astfe.blocked<1000x1000, #L>, %v: tensor<?xf32>,
                  %B: tensor<1000x32xf32>, %C: tensor<1000x32xf32>) -> tensor<1000x32xf32> {
  %r = astfe.compute over %P : !astfe.blocked<1000x1000, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<1000x32xf32>)
      outs(%C : tensor<1000x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 32> -> tensor<1000x32xf32>
  return %r : tensor<1000x32xf32>
}

func.func @double(%P: !astfe.blocked<1000x1000, #L>, %v: tensor<?xf64>,
                  %B: tensor<1000x32xf64>, %C: tensor<1000x32xf64>) -> tensor<1000x32xf64> {
  %r = astfe.compute over %P : !astfe.blocked<1000x1000, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf64>, tensor<1000x32xf64>)
      outs(%C : tensor<1000x32xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } kernel <[row_segments], column_tile = 32> -> tensor<1000x32xf64>
  return %r : tensor<1000x32xf64>
}
