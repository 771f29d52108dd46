// Loops around chains that one launch does not compute stay loops.
// RUN: astfe-opt %s --split-input-file --convert-astfe-to-gpu | FileCheck %s

// What iterations read is what others write, under another name.
// CHECK-LABEL: func.func @glob(
// CHECK:         scf.for
// CHECK:         gpu.launch_func @glob_kernels::@chain blocks in (%{{[^,]*}}, %c1{{[_0-9]*}}, %c1

#view = #astfe.layout<view>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!slice = memref<100x64xf32, strided<[64, 1], offset: ?>>
memref.global @G : memref<4x100x64xf32> = uninitialized
func.func @glob(%P: memref<?xi32>, %C: memref<?xi32>, %A: memref<?xf32>, %rows: index, %columns: index) {
  %O = memref.get_global @G : memref<4x100x64xf32>
  %O2 = memref.get_global @G : memref<4x100x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = astfe.view %P, %C[%rows, %columns] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %heads = memref.dim %O, %c0 : memref<4x100x64xf32>
  scf.for %h = %c0 to %heads step %c1 {
    %k = memref.subview %O2[0, 0, 0] [1, 100, 64] [1, 1, 1] : memref<4x100x64xf32> to memref<100x64xf32, strided<[64, 1]>>
    %o = memref.subview %O[%h, 0, 0] [1, 100, 64] [1, 1, 1] : memref<4x100x64xf32> to !slice
    astfe.fused over %p = %V : !astfe.blocked<?x?, #view>
        ins(%a = %A, %k1 = %k : memref<?xf32>, memref<100x64xf32, strided<[64, 1]>>)
        outs(%o1 = %o : !slice) {
      astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
          ins(%a, %k1 : memref<?xf32>, memref<100x64xf32, strided<[64, 1]>>) outs(%o1 : !slice) overwrite {
      ^bb0(%t: f32, %x: f32):
        %y = arith.mulf %t, %x : f32
        astfe.yield "addf" %y : f32
      }
    }
  }
  return
}

// -----

// Operands of the host are copied without gaps, which one of all heads would keep.
// CHECK-LABEL: func.func @heads(
// CHECK-NOT:     gpu.alloc {{.*}}strided
// CHECK:         scf.for
// CHECK-NOT:     gpu.alloc {{.*}}strided
// CHECK:         gpu.launch_func @heads_kernels::@chain blocks in (%{{[^,]*}}, %c1{{[_0-9]*}}, %c1

#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!slice = memref<?x64xf32, strided<[?, 1], offset: ?>>
!inner = memref<?x64xf32, strided<[?, 1], offset: ?>>
func.func @heads(%P: memref<?xi32>, %C: memref<?xi32>, %Q: memref<?x?x64xf32>,
                 %k: memref<?x64xf32, strided<[?, 1], offset: ?>>, %A: memref<?xf32>, %O: memref<?x?x64xf32>,
                 %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = astfe.view %P, %C[%rows, %columns] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %heads = memref.dim %Q, %c1 : memref<?x?x64xf32>
  scf.for %h = %c0 to %heads step %c1 {
    %m = memref.dim %Q, %c0 : memref<?x?x64xf32>
    %q = memref.subview %Q[0, %h, 0] [%m, 1, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
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

// -----

// An output that nobody may write is copied in each iteration.
// CHECK-LABEL: func.func @dead(
// CHECK:         scf.for
// CHECK:         gpu.launch_func @dead_kernels::@chain blocks in (%{{[^,]*}}, %c1{{[_0-9]*}}, %c1

#view = #astfe.layout<view>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!slice = memref<?x64xf32, strided<[64, 1], offset: ?>>
func.func @dead(%P: memref<?xi32>, %C: memref<?xi32>, %A: memref<?xf32>, %K: memref<?x?x64xf32>,
               %O: memref<?x?x64xf32>, %Z: memref<?x?x64xf32>, %rows: index, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = astfe.view %P, %C[%rows, %columns] : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %heads = memref.dim %K, %c0 : memref<?x?x64xf32>
  %r = memref.dim %K, %c1 : memref<?x?x64xf32>
  %s = memref.dim %O, %c1 : memref<?x?x64xf32>
  %u = memref.dim %Z, %c1 : memref<?x?x64xf32>
  %a = bufferization.to_tensor %A restrict : memref<?xf32> to tensor<?xf32>
  scf.for %h = %c0 to %heads step %c1 {
    %k = memref.subview %K[%h, 0, 0] [1, %r, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    %o = memref.subview %O[%h, 0, 0] [1, %s, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    %z = memref.subview %Z[%h, 0, 0] [1, %u, 64] [1, 1, 1] : memref<?x?x64xf32> to !slice
    %kt = bufferization.to_tensor %k restrict : !slice to tensor<?x64xf32>
    %ot = bufferization.to_tensor %z restrict : !slice to tensor<?x64xf32>
    %f = astfe.fused over %p = %V : !astfe.blocked<?x?, #view>
        ins(%a1 = %a, %k1 = %kt : tensor<?xf32>, tensor<?x64xf32>)
        outs(%o1 = %ot : tensor<?x64xf32>) {
      %g = astfe.compute over %p : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
          ins(%a1, %k1 : tensor<?xf32>, tensor<?x64xf32>) outs(%o1 : tensor<?x64xf32>) {
      ^bb0(%t: f32, %x: f32):
        %y = arith.mulf %t, %x : f32
        astfe.yield "addf" %y : f32
      } -> tensor<?x64xf32>
      astfe.return %g : tensor<?x64xf32>
    } -> tensor<?x64xf32>
  }
  return
}
