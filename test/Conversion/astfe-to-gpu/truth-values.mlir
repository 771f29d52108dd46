// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// Truth values are bytes of 0 and 1 in memory. All of them are a product of bytes, whose
// identity is such a byte, and a scalar from outside is passed as one.

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered], target = gpu, deterministic>

// CHECK-LABEL: func.func @all(
// CHECK-SAME:      %{{.*}}: !llvm.ptr, %[[V:.*]]: tensor<?xi1>, %[[X:.*]]: tensor<?xi1>, %[[F:.*]]: i1, %[[Y:.*]]: tensor<?xi1>)
// CHECK-DAG:     %[[FB:.*]] = arith.extui %[[F]] : i1 to i8
// CHECK-DAG:     %[[VM:.*]] = bufferization.to_buffer %[[V]] read_only : tensor<?xi1> to memref<?xi1>
// CHECK-DAG:     builtin.unrealized_conversion_cast %[[VM]] : memref<?xi1> to memref<?xi8>
// CHECK-DAG:     %[[YM:.*]] = bufferization.to_buffer %[[Y]] : tensor<?xi1> to memref<?xi1>
// CHECK-DAG:     builtin.unrealized_conversion_cast %[[YM]] : memref<?xi1> to memref<?xi8>
// CHECK:         gpu.launch_func
// CHECK:         %[[R:.*]] = bufferization.to_tensor %[[YM]]
// CHECK:         return %[[R]] : tensor<?xi1>
// CHECK-LABEL: gpu.func @
// CHECK-NOT:     xi1>
// CHECK:         %[[E:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK:         %[[W:.*]] = arith.extsi %[[E]] : i8 to i32
// CHECK:         arith.muli %{{.*}}, %[[W]] : i32
func.func @all(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xi1>, %x: tensor<?xi1>, %f: i1,
               %y: tensor<?xi1>) -> tensor<?xi1> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xi1>, tensor<?xi1>) outs(%y : tensor<?xi1>) overwrite {
  ^bb0(%a: i1, %b: i1):
    %p = arith.ori %a, %b : i1
    %q = arith.xori %p, %f : i1
    astfe.yield "andi" %q : i1
  } -> tensor<?xi1>
  return %r : tensor<?xi1>
}
