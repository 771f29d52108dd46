// RUN: astfe-opt %s --convert-astfe-to-scf | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf=check-extents=true | FileCheck %s --check-prefix=TOLD

#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (j, k)>
#c = affine_map<(n, i, j, k) -> (i, k)>
#view = #astfe.layout<view>
!part = memref<4x8xf32, strided<[8, 1], offset: ?>>

// A slice that is computed in place is not copied onto itself; another one is.

// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @in_place(%p: memref<?xindex>, %c: memref<?xindex>, %v: memref<?xf32>,
                    %B: memref<5x8xf32>, %C: memref<2x4x8xf32>, %at: index) {
  %m = arith.constant 4 : index
  %k = arith.constant 5 : index
  %part = memref.subview %C[%at, 0, 0] [1, 4, 8] [1, 1, 1] : memref<2x4x8xf32> to !part
  %P = astfe.view %p, %c[%m, %k]
    : memref<?xindex>, memref<?xindex> -> !astfe.blocked<4x5, #view>
  astfe.compute over %P : !astfe.blocked<4x5, #view> maps [#n, #b, #c]
      ins(%v, %B : memref<?xf32>, memref<5x8xf32>) outs(%part : !part) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    astfe.yield "addf" %z : f32
  }
  %again = memref.subview %C[%at, 0, 0] [1, 4, 8] [1, 1, 1] : memref<2x4x8xf32> to !part
  memref.copy %part, %again : !part to !part
  return
}

// What is copied into the part before is no copy of it.

// CHECK-LABEL: func.func @begins_with
// CHECK:         memref.copy
// CHECK:         return
func.func @begins_with(%p: memref<?xindex>, %c: memref<?xindex>, %v: memref<?xf32>,
                       %B: memref<5x8xf32>, %C: memref<2x4x8xf32>, %D: memref<4x8xf32>,
                       %at: index) {
  %m = arith.constant 4 : index
  %k = arith.constant 5 : index
  %part = memref.subview %C[%at, 0, 0] [1, 4, 8] [1, 1, 1] : memref<2x4x8xf32> to !part
  memref.copy %D, %part : memref<4x8xf32> to !part
  %P = astfe.view %p, %c[%m, %k]
    : memref<?xindex>, memref<?xindex> -> !astfe.blocked<4x5, #view>
  astfe.compute over %P : !astfe.blocked<4x5, #view> maps [#n, #b, #c]
      ins(%v, %B : memref<?xf32>, memref<5x8xf32>) outs(%part : !part) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    astfe.yield "addf" %z : f32
  }
  return
}

// CHECK-LABEL: func.func @elsewhere
// CHECK:         memref.copy
// CHECK:         return
func.func @elsewhere(%p: memref<?xindex>, %c: memref<?xindex>, %v: memref<?xf32>,
                     %B: memref<5x8xf32>, %C: memref<2x4x8xf32>, %at: index, %to: index) {
  %m = arith.constant 4 : index
  %k = arith.constant 5 : index
  %part = memref.subview %C[%at, 0, 0] [1, 4, 8] [1, 1, 1] : memref<2x4x8xf32> to !part
  %P = astfe.view %p, %c[%m, %k]
    : memref<?xindex>, memref<?xindex> -> !astfe.blocked<4x5, #view>
  astfe.compute over %P : !astfe.blocked<4x5, #view> maps [#n, #b, #c]
      ins(%v, %B : memref<?xf32>, memref<5x8xf32>) outs(%part : !part) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    astfe.yield "addf" %z : f32
  }
  %other = memref.subview %C[%to, 0, 0] [1, 4, 8] [1, 1, 1] : memref<2x4x8xf32> to !part
  memref.copy %part, %other : !part to !part
  return
}

// Assertions about extents are told to a runtime, those of others stay.

// CHECK-LABEL: func.func @asserted
// CHECK:         cf.assert %{{.*}}, "agree"
// CHECK:         cf.assert %{{.*}}, "mine"
// TOLD-LABEL: func.func @asserted
// TOLD-SAME:    (%[[A:.*]]: i1, %[[B:.*]]: i1)
// TOLD-NEXT:    scf.if %[[A]] {
// TOLD-NEXT:    } else {
// TOLD:           call @astfe_rt_report
// TOLD-NEXT:    }
// TOLD-NEXT:    cf.assert %[[B]], "mine"
func.func @asserted(%a: i1, %b: i1) {
  cf.assert %a, "agree" {astfe.extents}
  cf.assert %b, "mine"
  return
}
