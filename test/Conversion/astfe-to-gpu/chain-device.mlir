// RUN: split-file %s %t
// RUN: astfe-opt %t/heads.mlir --convert-astfe-to-gpu=device-operands | FileCheck %s
// RUN: astfe-opt %t/heads.mlir --convert-astfe-to-gpu="device-operands long-rows" | FileCheck %s --check-prefix=LONG
// RUN: astfe-opt %t/heads.mlir --convert-astfe-to-gpu | FileCheck %s --check-prefix=HOST
// RUN: not astfe-opt %t/columns.mlir --convert-astfe-to-gpu=device-operands 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not astfe-opt %t/followed.mlir --convert-astfe-to-gpu=device-operands 2>&1 | FileCheck %s --check-prefix=FOLLOWED
// RUN: not astfe-opt %t/handed-on.mlir --convert-astfe-to-gpu=device-operands 2>&1 | FileCheck %s --check-prefix=HANDED-ON

// Kernels of chains read and write rows, and elements of vectors, that lie apart
// in a device's memory: where a buffer begins and how far rows are apart are
// arguments of the kernel. Vectors are loaded where all rows begin at some, else
// another kernel runs. Operands of the host are copied to buffers without gaps.

// CHECK-LABEL: func.func @heads
// CHECK-SAME:    %[[Q:[^:]*]]: memref<?x64xf32, strided<[?, 1], offset: ?>>
// CHECK:         %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[Q]]
// Rows of outputs do not lie over each other, and strides are counted in 32 bits.
// CHECK:         arith.cmpi ule, %{{.*}}#0, %c2147483647
// CHECK:         arith.cmpi uge, %{{.*}}#0, %c64
// CHECK:         %[[REST:.*]] = arith.remui %{{.*}}, %c{{[248]}}
// CHECK:         scf.if
// CHECK:           gpu.launch_func @heads_kernels::@chain blocks
// CHECK-SAME:        i64{{.*}}i32{{.*}}i64{{.*}}i32
// CHECK:         } else {
// CHECK:           gpu.launch_func @heads_kernels::@chain_by1 blocks
// CHECK:       gpu.func @chain(
// CHECK-SAME:    i64
// CHECK:         vector.load
// CHECK:       gpu.func @chain_by1(
// CHECK-NOT:     vector.load

// Each of the four operands is read from its offset on, and partial results, which
// are the kernel's own, from their beginning.
// LONG:           gpu.func @chain_cut(
// LONG-COUNT-4:     memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}]
// LONG-NOT:         memref.reinterpret_cast %{{.*}} to offset: [%
// LONG:           gpu.func @combine_chain(

// HOST-LABEL: func.func @heads
// HOST:         memref.copy
// HOST-NOT:     chain_by1
// HOST:       gpu.func @chain(
// HOST-NOT:   gpu.func @chain_by1(

// COLUMNS: expected a chain that has a fused kernel, but expected buffers without strides, offsets and memory spaces on a GPU but got 'memref<?x64xf32, strided<[128, 2]>>'

// FOLLOWED: expected a chain that has a fused kernel, but an epilogue reads what is not complete at its row's end

// HANDED-ON: expected a chain that has a fused kernel, but an epilogue changes nothing that a computation has made of the key

//--- heads.mlir
// s_ij = <Q_i, K_j>, l_i = sum of s_ij, log l_i stored when a row is done, and
// O_i = sum of s_ij V_j.
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
#k = affine_map<(k) -> (k)>
!row = memref<?x64xf32, strided<[?, 1], offset: ?>>
!sum = memref<?xf32, strided<[?], offset: ?>>
func.func @heads(%Q: !row, %K: !row, %O: !row, %L: !sum,
                 %p: memref<?xi32>, %c: memref<?xi32>, %m: index) {
  %P = astfe.view %p, %c[%m, %m] : memref<?xi32>, memref<?xi32>
    -> !astfe.blocked<?x?, #view>
  astfe.fused over %pattern = %P : !astfe.blocked<?x?, #view>
      ins(%q = %Q, %k = %K : !row, !row) outs(%o = %O, %l = %L : !row, !sum) {
    %s = astfe.local over %pattern at #n
      : !astfe.blocked<?x?, #view> -> memref<?xf32>
    astfe.compute over %pattern : !astfe.blocked<?x?, #view> maps [#ix, #jx, #nx]
        ins(%q, %k : !row, !row) outs(%s : memref<?xf32>) overwrite {
    ^bb0(%x: f32, %y: f32):
      %t = arith.mulf %x, %y : f32
      astfe.yield "addf" %t : f32
    }
    %sum = astfe.local over %pattern at #i
      : !astfe.blocked<?x?, #view> -> memref<?xf32>
    astfe.compute over %pattern : !astfe.blocked<?x?, #view> maps [#n, #i]
        ins(%s : memref<?xf32>) outs(%sum : memref<?xf32>) overwrite {
    ^bb0(%x: f32):
      astfe.yield "addf" %x : f32
    }
    astfe.compute over %pattern : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
        ins(%s, %k : memref<?xf32>, !row) outs(%o : !row) overwrite {
    ^bb0(%x: f32, %y: f32):
      %t = arith.mulf %x, %y : f32
      astfe.yield "addf" %t : f32
    }
    linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%sum : memref<?xf32>) outs(%l : !sum) {
    ^bb0(%x: f32, %y: f32):
      %t = math.log %x : f32
      linalg.yield %t : f32
    }
  }
  return
}

//--- columns.mlir
#view = #astfe.layout<view>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!row = memref<?x64xf32, strided<[128, 2]>>
func.func @columns(%Q: !row, %s: memref<?xf32>, %O: memref<?x64xf32>,
                   %p: memref<?xi32>, %c: memref<?xi32>, %m: index) {
  %P = astfe.view %p, %c[%m, %m] : memref<?xi32>, memref<?xi32>
    -> !astfe.blocked<?x?, #view>
  astfe.fused over %pattern = %P : !astfe.blocked<?x?, #view>
      ins(%q = %Q, %a = %s : !row, memref<?xf32>)
      outs(%o = %O : memref<?x64xf32>) {
    astfe.compute over %pattern : !astfe.blocked<?x?, #view> maps [#nx, #jx, #ix]
        ins(%a, %q : memref<?xf32>, !row) outs(%o : memref<?x64xf32>) overwrite {
    ^bb0(%x: f32, %y: f32):
      %t = arith.mulf %x, %y : f32
      astfe.yield "addf" %t : f32
    }
  }
  return
}

//--- handed-on.mlir
// What follows a row reads something of the row.
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
func.func @other(%s: memref<?xf32>, %w: memref<?xf32>, %O: memref<?xf32>,
                 %L: memref<?xf32>, %p: memref<?xi32>, %c: memref<?xi32>,
                 %m: index) {
  %P = astfe.view %p, %c[%m, %m] : memref<?xi32>, memref<?xi32>
    -> !astfe.blocked<?x?, #view>
  astfe.fused over %pattern = %P : !astfe.blocked<?x?, #view>
      ins(%a = %s, %v = %w : memref<?xf32>, memref<?xf32>)
      outs(%o = %O, %l = %L : memref<?xf32>, memref<?xf32>) {
    astfe.compute over %pattern : !astfe.blocked<?x?, #view> maps [#n, #i]
        ins(%a : memref<?xf32>) outs(%o : memref<?xf32>) overwrite {
    ^bb0(%x: f32):
      astfe.yield "addf" %x : f32
    }
    linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%v : memref<?xf32>) outs(%l : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    }
  }
  return
}

//--- followed.mlir
// What an epilogue alone has computed is in memory, and in nobody's register.
#view = #astfe.layout<view>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#k = affine_map<(k) -> (k)>
func.func @followed(%s: memref<?xf32>, %O: memref<?xf32>, %L: memref<?xf32>,
                    %M: memref<?xf32>, %p: memref<?xi32>, %c: memref<?xi32>,
                    %m: index) {
  %P = astfe.view %p, %c[%m, %m] : memref<?xi32>, memref<?xi32>
    -> !astfe.blocked<?x?, #view>
  astfe.fused over %pattern = %P : !astfe.blocked<?x?, #view>
      ins(%a = %s : memref<?xf32>)
      outs(%o = %O, %l = %L, %q = %M : memref<?xf32>, memref<?xf32>, memref<?xf32>) {
    astfe.compute over %pattern : !astfe.blocked<?x?, #view> maps [#n, #i]
        ins(%a : memref<?xf32>) outs(%o : memref<?xf32>) overwrite {
    ^bb0(%x: f32):
      astfe.yield "addf" %x : f32
    }
    linalg.generic {indexing_maps = [#k, #k], iterator_types = ["parallel"]}
        ins(%o : memref<?xf32>) outs(%l : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      %t = arith.mulf %x, %x : f32
      linalg.yield %t : f32
    }
    linalg.generic {indexing_maps = [#k, #k, #k], iterator_types = ["parallel"]}
        ins(%o, %l : memref<?xf32>, memref<?xf32>) outs(%q : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %t = arith.addf %x, %y : f32
      linalg.yield %t : f32
    }
  }
  return
}
