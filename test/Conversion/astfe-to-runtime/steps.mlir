// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s --check-prefix=LAYOUT

// Each number of a step is in the place that the runtime reads it from.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

// CHECK-LABEL: func.func @steps(
// CHECK-DAG:     %[[LEAF:.*]] = arith.constant 101 : i64
// CHECK-DAG:     %[[WORKERS0:.*]] = arith.constant 102 : i64
// CHECK:         %[[G0:.*]] = call @astfe_rt_partition(%[[H:.*]], %[[LEAF]], %[[WORKERS0]])
// CHECK-DAG:     %[[TAU1:.*]] = arith.constant 7.500000e-01 : f64
// CHECK-DAG:     %[[WORKERS1:.*]] = arith.constant 103 : i64
// CHECK-DAG:     %[[WAVES1:.*]] = arith.constant 104 : i64
// CHECK-DAG:     %[[MIN:.*]] = arith.constant 105 : i64
// CHECK-DAG:     %[[STEPS:.*]] = arith.constant 106 : i64
// CHECK:         %[[G1:.*]] = call @astfe_rt_refine(%[[G0]], %[[H]], %[[TAU1]], %[[WORKERS1]], %[[WAVES1]], %[[MIN]], %[[STEPS]])
// CHECK-DAG:     %[[TAU2:.*]] = arith.constant 8.750000e-01 : f64
// CHECK-DAG:     %[[WORKERS2:.*]] = arith.constant 107 : i64
// CHECK-DAG:     %[[WAVES2:.*]] = arith.constant 108 : i64
// CHECK-DAG:     %[[CACHE:.*]] = arith.constant 109 : i64
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 110 : i64
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 111 : i64
// CHECK:         call @astfe_rt_fuse(%[[G1]], %[[H]], %[[TAU2]], %[[WORKERS2]], %[[WAVES2]], %[[CACHE]], %[[COLUMNS]], %[[BYTES]])
func.func @steps(%A: tensor<?x?xf32, #CSR>) -> !astfe.graph<?x?> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g0 = astfe.partition %h leaf = 101 workers = 102
    : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %g1 = astfe.refine %g0 by %h threshold = 0.75 workers = 103 waves = 104 min = 105 steps = 106
    : !astfe.graph<?x?>, !astfe.profile<?x?>
  %g2 = astfe.fuse %g1 by %h threshold = 0.875 workers = 107 waves = 108 cache = 109 columns = 110 element_bytes = 111
    : !astfe.graph<?x?>, !astfe.profile<?x?>
  return %g2 : !astfe.graph<?x?>
}

// A vector that a computation writes into lives on as its result.

#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>

// CHECK-LABEL: func.func @written(
// CHECK-NOT:     dealloc_tensor
// CHECK:         return
func.func @written(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>,
                   %x: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %s = astfe.compute over %P : !astfe.blocked<?x?, #pack> maps [#j, #n]
      ins(%x : tensor<?xf32>) outs(%v : tensor<?xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// A pattern is packed in the classes that all of its kernels have.

#i = affine_map<(n, i, j) -> (i)>
#three = #astfe.layout<packed, columns = 32,
                       classes = [row_segments, scattered, dense_tile]>

// The text says "classes":["scattered"].
// LAYOUT: memref.global {{.*}} @astfe_layout_1 {{.*}}22636C6173736573223A5B22736361747465726564225D

// CHECK-LABEL: func.func @two_kernels(
// CHECK:         memref.get_global @astfe_layout_1 :
func.func @two_kernels(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>,
                       %v: tensor<?xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>,
                       %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #three>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #three> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments, scattered], column_tile = 0> -> tensor<?xf32>
  %s = astfe.compute over %P : !astfe.blocked<?x?, #three> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[scattered, dense_tile], column_tile = 0> -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
