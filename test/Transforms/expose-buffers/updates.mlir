// RUN: astfe-opt %s --astfe-expose-buffers | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu -o /dev/null

// What changes the values of a matrix by columns makes a new one: copies of it
// that bufferization makes end upstream's sparse-reinterpret-map. One by rows is
// changed where it is.

#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

// CHECK-LABEL: func @by_columns
// CHECK:         %[[OLD:.*]] = builtin.unrealized_conversion_cast
// CHECK:         %[[NEW:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf64, #[[$CSC:.*]]>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[OLD]] : tensor<?xf64>, tensor<?x?xf64, #[[$CSC]]>)
// CHECK-SAME:      outs(%[[NEW]] : tensor<?x?xf64, #[[$CSC]]>)
func.func @by_columns(%a: tensor<?x?xf64, #CSC>, %d: tensor<?xf64>) -> memref<?xf64> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<?xf64>) outs(%a : tensor<?x?xf64, #CSC>) {
  ^bb0(%s: f64, %v: f64):
    %p = arith.mulf %v, %s : f64
    linalg.yield %p : f64
  } -> tensor<?x?xf64, #CSC>
  %1 = sparse_tensor.values %0 : tensor<?x?xf64, #CSC> to memref<?xf64>
  return %1 : memref<?xf64>
}

// CHECK-LABEL: func @by_rows
// CHECK-NOT:     tensor.empty
// CHECK:         linalg.generic
func.func @by_rows(%a: tensor<?x?xf64, #CSR>, %d: tensor<?xf64>) -> memref<?xf64> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<?xf64>) outs(%a : tensor<?x?xf64, #CSR>) {
  ^bb0(%s: f64, %v: f64):
    %p = arith.mulf %v, %s : f64
    linalg.yield %p : f64
  } -> tensor<?x?xf64, #CSR>
  %1 = sparse_tensor.values %0 : tensor<?x?xf64, #CSR> to memref<?xf64>
  return %1 : memref<?xf64>
}
