// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-gpu=device-operands | FileCheck %s --check-prefix=DEVICE

// With 8 columns of f32 two lanes have a row's columns, in vectors of four: a
// warp is sixteen teams, which load what they need by themselves and add up
// their sums by shuffles over whole teams.

// CHECK-LABEL: func.func @spmm
// CHECK:         gpu.launch_func @spmm_kernels::@tile8 blocks
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.func @tile8
// CHECK-NOT:     workgroup
// CHECK-COUNT-4:   gpu.shuffle xor %{{.*}}, %c2_i32{{[^,]*}}, %{{.*}} : f32
// CHECK:           scf.if
// CHECK-COUNT-4:   gpu.shuffle xor %{{.*}}, %c4_i32{{[^,]*}}, %{{.*}} : f32
// CHECK:           scf.if
// CHECK-COUNT-4:   gpu.shuffle xor %{{.*}}, %c8_i32{{[^,]*}}, %{{.*}} : f32
// CHECK:           scf.if
// CHECK-COUNT-4:   gpu.shuffle xor %{{.*}}, %c16_i32{{[^,]*}}, %{{.*}} : f32
// CHECK-NOT:     gpu.func @tile32

// Where operands may be misaligned, a lane has one column.
// DEVICE-LABEL: func.func @spmm
// DEVICE:         gpu.launch_func @spmm_kernels::@tile8 blocks
// DEVICE:         gpu.launch_func @spmm_kernels::@tile32 blocks

#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu>

func.func @spmm(%P: !astfe.blocked<1000x1000, #L>, %v: tensor<?xf32>,
                %B: tensor<1000x8xf32>, %C: tensor<1000x8xf32>) -> tensor<1000x8xf32> {
  %r = astfe.compute over %P : !astfe.blocked<1000x1000, #L> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<1000x8xf32>)
      outs(%C : tensor<1000x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 32> -> tensor<1000x8xf32>
  return %r : tensor<1000x8xf32>
}
