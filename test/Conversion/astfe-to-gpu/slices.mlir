// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s
// RUN: not astfe-opt %s --convert-astfe-to-gpu=device-operands 2>&1 | FileCheck %s --check-prefix=DEVICE

// Kernels take buffers without strides: slices are copied to one, and an output
// back. Operands in device memory cannot be copied by the host.

// CHECK-LABEL: func.func @slices
// CHECK-SAME:    %[[B:[^:]*]]: memref<8x4xf32, strided<[16, 2]>>
// CHECK-SAME:    %[[C:[^:]*]]: memref<8x4xf32, strided<[16, 1], offset: 4>>
// CHECK:         %[[B1:.*]] = memref.alloc() : memref<8x4xf32>
// CHECK-NEXT:    memref.copy %[[B]], %[[B1]]
// CHECK-NEXT:    %[[C1:.*]] = memref.alloc() : memref<8x4xf32>
// CHECK-NEXT:    memref.copy %[[C]], %[[C1]]
// CHECK:         gpu.launch_func
// CHECK:         memref.copy %[[C1]], %[[C]]
// CHECK-NEXT:    memref.dealloc %[[C1]]
// CHECK-NEXT:    memref.dealloc %[[B1]]

// DEVICE: expected buffers without strides, offsets and memory spaces on a GPU but got 'memref<8x4xf32, strided<[16, 2]>>'

#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (j, k)>
#c = affine_map<(n, i, j, k) -> (i, k)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered], target = gpu>
func.func @slices(%P: !astfe.blocked<8x8, #L>, %v: memref<?xf32>,
                  %B: memref<8x4xf32, strided<[16, 2]>>,
                  %C: memref<8x4xf32, strided<[16, 1], offset: 4>>) {
  astfe.compute over %P : !astfe.blocked<8x8, #L> maps [#n, #b, #c]
      ins(%v, %B : memref<?xf32>, memref<8x4xf32, strided<[16, 2]>>)
      outs(%C : memref<8x4xf32, strided<[16, 1], offset: 4>>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  }
  return
}
