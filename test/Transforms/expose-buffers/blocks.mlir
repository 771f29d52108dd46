// RUN: astfe-opt %s --astfe-expose-buffers | FileCheck %s

// Blocks are levels: those of a dimension, and the places in one.

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %{{[^:]*}}: memref<?xindex>, %{{[^:]*}}: memref<?xindex>, %{{[^:]*}}: memref<?xf32>, %[[I:[^:]*]]: index, %[[J:[^:]*]]: index)
// CHECK:         %[[TWO:.*]] = arith.constant 2
// CHECK:         %[[IB:.*]] = arith.divui %[[I]], %[[TWO]]
// CHECK:         sparse_tensor.storage_specifier.set %{{.*}} lvl_sz at 0 with %[[IB]]
// CHECK:         %[[THREE:.*]] = arith.constant 3
// CHECK:         %[[JB:.*]] = arith.divui %[[J]], %[[THREE]]
// CHECK:         sparse_tensor.storage_specifier.set %{{.*}} lvl_sz at 1 with %[[JB]]
// CHECK:         %[[II:.*]] = arith.constant 2
// CHECK:         sparse_tensor.storage_specifier.set %{{.*}} lvl_sz at 2 with %[[II]]
// CHECK:         %[[JJ:.*]] = arith.constant 3
// CHECK:         sparse_tensor.storage_specifier.set %{{.*}} lvl_sz at 3 with %[[JJ]]
func.func @blocks(%A: tensor<?x?xf32, #BSR>) -> index {
  %n = sparse_tensor.number_of_entries %A : tensor<?x?xf32, #BSR>
  return %n : index
}
