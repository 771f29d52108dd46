// RUN: astfe-opt %s --convert-linalg-to-astfe=storage=packed --astfe-partition \
// RUN:   --astfe-hoist-inspector --astfe-merge-inspectors | FileCheck %s

// Values that are written where no op says that they are this tensor's: values are
// put in order for each of the two computations.

#S = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>

// A conversion that forgets the extents makes no other values.

// CHECK-LABEL: func @converted(
// CHECK:         astfe.values
// CHECK:         memref.store
// CHECK:         astfe.values
// CHECK:         return
func.func @converted(%A: tensor<8x8xf64, #S>, %X: tensor<?x4xf64>,
                     %Y: tensor<?x4xf64>, %h: f64) -> tensor<?x4xf64> {
  %c0 = arith.constant 0 : index
  %B = sparse_tensor.convert %A : tensor<8x8xf64, #S> to tensor<?x?xf64, #S>
  %0 = linalg.matmul ins(%B, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%Y : tensor<?x4xf64>) -> tensor<?x4xf64>
  %v = sparse_tensor.values %A : tensor<8x8xf64, #S> to memref<?xf64>
  memref.store %h, %v[%c0] : memref<?xf64>
  %1 = linalg.matmul ins(%B, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%0 : tensor<?x4xf64>) -> tensor<?x4xf64>
  return %1 : tensor<?x4xf64>
}

// Nobody sees what a function does that is linked later.

func.func private @linked(tensor<?x?xf64, #S>)

// CHECK-LABEL: func @outside(
// CHECK:         astfe.values
// CHECK:         call @linked
// CHECK:         astfe.values
// CHECK:         return
func.func @outside(%A: tensor<?x?xf64, #S>, %X: tensor<?x4xf64>,
                   %Y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %0 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%Y : tensor<?x4xf64>) -> tensor<?x4xf64>
  call @linked(%A) : (tensor<?x?xf64, #S>) -> ()
  %1 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%0 : tensor<?x4xf64>) -> tensor<?x4xf64>
  return %1 : tensor<?x4xf64>
}

// A buffer of buffers hands the values on.

// CHECK-LABEL: func @boxed(
// CHECK:         astfe.values
// CHECK:         memref.store {{.*}} : memref<?xf64>
// CHECK:         astfe.values
// CHECK:         return
func.func @boxed(%A: tensor<?x?xf64, #S>, %X: tensor<?x4xf64>,
                 %Y: tensor<?x4xf64>, %h: f64) -> tensor<?x4xf64> {
  %c0 = arith.constant 0 : index
  %0 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%Y : tensor<?x4xf64>) -> tensor<?x4xf64>
  %v = sparse_tensor.values %A : tensor<?x?xf64, #S> to memref<?xf64>
  %box = memref.alloca() : memref<1xmemref<?xf64>>
  memref.store %v, %box[%c0] : memref<1xmemref<?xf64>>
  %w = memref.load %box[%c0] : memref<1xmemref<?xf64>>
  memref.store %h, %w[%c0] : memref<?xf64>
  %1 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%0 : tensor<?x4xf64>) -> tensor<?x4xf64>
  return %1 : tensor<?x4xf64>
}

// Nothing is written to this one.

// CHECK-LABEL: func @read(
// CHECK:         astfe.values
// CHECK-NOT:     astfe.values
// CHECK:         return
func.func @read(%A: tensor<?x?xf64, #S>, %X: tensor<?x4xf64>,
                %Y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %0 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%Y : tensor<?x4xf64>) -> tensor<?x4xf64>
  %1 = linalg.matmul ins(%A, %X : tensor<?x?xf64, #S>, tensor<?x4xf64>) outs(%0 : tensor<?x4xf64>) -> tensor<?x4xf64>
  return %1 : tensor<?x4xf64>
}
