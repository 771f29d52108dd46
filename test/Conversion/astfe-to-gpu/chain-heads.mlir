// RUN: split-file %s %t
// RUN: astfe-opt %t/heads.mlir --convert-astfe-to-gpu=device-operands | FileCheck %s
// RUN: astfe-opt %t/heads.mlir --convert-astfe-to-gpu="device-operands long-rows" | FileCheck %s --check-prefix=LONG
// RUN: astfe-opt %t/others.mlir --convert-astfe-to-gpu | FileCheck %s --check-prefix=OTHERS

// A loop that runs a chain on slices of its operands is one launch, whose grid has
// the heads. Each has an equal share of the blocks, one at least. The rows of all
// heads have numbers: row * heads + head, or head * rows + row.

// CHECK-LABEL: func.func @heads
// CHECK-NOT:     scf.for
// CHECK:         %[[HEADS:.*]] = memref.dim %arg2, %c1
// CHECK:         arith.maxsi
// CHECK:         arith.cmpi sgt, %[[HEADS]], %c0
// As many heads of each operand, and rows below 2^31 of all heads.
// CHECK:         arith.cmpi uge, %{{.*}}, %[[HEADS]]
// CHECK:         gpu.launch_func @heads_kernels::@chain blocks in (%[[HEADS]], %{{.*}}, %c1
// CHECK:         gpu.launch_func @heads_kernels::@chain_by1 blocks in (%[[HEADS]],
// CHECK:       gpu.func @chain(
// CHECK-SAME:    "head-rows:1", "operand:1", "head-rows:2", "operand:2", "head-rows:3", "operand:3"
// CHECK:         %[[X:.*]] = gpu.block_id x
// CHECK:         gpu.block_id y

// LONG-LABEL: func.func @heads
// LONG:         gpu.launch_func @heads_kernels::@chain_cut blocks in (%[[HEADS:[a-z0-9_]*]],
// LONG:         gpu.launch_func @heads_kernels::@combine_chain blocks in (%[[HEADS]],
// LONG:       gpu.func @chain_cut(
// LONG-SAME:    "partials", "partial-rows", "least", "piece"

// What reads what another iteration has written, or does anything else, stays a
// loop with a launch in each.
// OTHERS-LABEL: func.func @reads_output
// OTHERS:         scf.for
// OTHERS:           gpu.launch_func @reads_output_kernels::@chain blocks in (%{{.*}}, %c1{{[_0-9]*}}, %c1
// OTHERS-LABEL: func.func @from_one
// OTHERS:         scf.for
// OTHERS:           gpu.launch_func @from_one_kernels::@chain blocks in (%{{.*}}, %c1{{[_0-9]*}}, %c1

//--- heads.mlir
// O_i = sum of a_ij <Q_i, K_j> K_j, of (row, head, dim) and (head, row, dim).
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!slice = memref<?x64xf32, strided<[?, 1], offset: ?>>
!inner = memref<?x64xf32, strided<[64, 1], offset: ?>>
func.func @heads(%P: memref<?xi32>, %C: memref<?xi32>, %Q: memref<?x?x64xf32>,
                 %K: memref<?x?x64xf32>, %A: memref<?xf32>, %O: memref<?x?x64xf32>,
                 %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = astfe.view %P, %C[%rows, %columns] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %heads = memref.dim %Q, %c1 : memref<?x?x64xf32>
  scf.for %h = %c0 to %heads step %c1 {
    %m = memref.dim %Q, %c0 : memref<?x?x64xf32>
    %q = memref.subview %Q[0, %h, 0] [%m, 1, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    %l = memref.dim %K, %c1 : memref<?x?x64xf32>
    %k = memref.subview %K[%h, 0, 0] [1, %l, 64] [1, 1, 1] : memref<?x?x64xf32> to !inner
    %r = memref.dim %O, %c0 : memref<?x?x64xf32>
    %o = memref.subview %O[0, %h, 0] [%r, 1, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    astfe.fused over %p = %V : !astfe.blocked<?x?, #view>
        ins(%a = %A, %q1 = %q, %k1 = %k : memref<?xf32>, !slice, !inner)
        outs(%o1 = %o : !slice) {
      %s0 = astfe.local over %p at #n : !astfe.blocked<?x?, #view> -> memref<?xf32>
      astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#nx, #ix, #jx, #nx]
          ins(%a, %q1, %k1 : memref<?xf32>, !slice, !inner) outs(%s0 : memref<?xf32>) overwrite {
      ^bb0(%w: f32, %x: f32, %y: f32):
        %xy = arith.mulf %x, %y : f32
        %t = arith.mulf %w, %xy : f32
        astfe.yield "addf" %t : f32
      }
      astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
          ins(%s0, %k1 : memref<?xf32>, !inner) outs(%o1 : !slice) overwrite {
      ^bb0(%t: f32, %x: f32):
        %y = arith.mulf %t, %x : f32
        astfe.yield "addf" %y : f32
      }
    }
  }
  return
}

//--- others.mlir
#view = #astfe.layout<view>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!slice = memref<?x64xf32, strided<[64, 1], offset: ?>>
func.func @reads_output(%P: memref<?xi32>, %C: memref<?xi32>, %A: memref<?xf32>,
                        %O: memref<?x?x64xf32>, %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = astfe.view %P, %C[%rows, %columns] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %heads = memref.dim %O, %c0 : memref<?x?x64xf32>
  %r = memref.dim %O, %c1 : memref<?x?x64xf32>
  scf.for %h = %c0 to %heads step %c1 {
    %k = memref.subview %O[0, 0, 0] [1, %r, 64] [1, 1, 1] : memref<?x?x64xf32> to memref<?x64xf32, strided<[64, 1]>>
    %o = memref.subview %O[%h, 0, 0] [1, %r, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    astfe.fused over %p = %V : !astfe.blocked<?x?, #view>
        ins(%a = %A, %k1 = %k : memref<?xf32>, memref<?x64xf32, strided<[64, 1]>>)
        outs(%o1 = %o : !slice) {
      astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
          ins(%a, %k1 : memref<?xf32>, memref<?x64xf32, strided<[64, 1]>>) outs(%o1 : !slice) overwrite {
      ^bb0(%t: f32, %x: f32):
        %y = arith.mulf %t, %x : f32
        astfe.yield "addf" %y : f32
      }
    }
  }
  return
}

func.func @from_one(%P: memref<?xi32>, %C: memref<?xi32>, %A: memref<?xf32>, %K: memref<?x64xf32>,
                    %O: memref<?x?x64xf32>, %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = astfe.view %P, %C[%rows, %columns] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %heads = memref.dim %O, %c0 : memref<?x?x64xf32>
  %r = memref.dim %O, %c1 : memref<?x?x64xf32>
  scf.for %h = %c1 to %heads step %c1 {
    %o = memref.subview %O[%h, 0, 0] [1, %r, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    astfe.fused over %p = %V : !astfe.blocked<?x?, #view>
        ins(%a = %A, %k1 = %K : memref<?xf32>, memref<?x64xf32>) outs(%o1 = %o : !slice) {
      astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
          ins(%a, %k1 : memref<?xf32>, memref<?x64xf32>) outs(%o1 : !slice) overwrite {
      ^bb0(%t: f32, %x: f32):
        %y = arith.mulf %t, %x : f32
        astfe.yield "addf" %y : f32
      }
    }
  }
  return
}
