// RUN: astfe-opt %s --verify-roundtrip --split-input-file | FileCheck %s
// RUN: astfe-opt %s --split-input-file --mlir-print-op-generic | astfe-opt --split-input-file | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed)
}>
#pack = #astfe.layout<packed, columns = 16,
                      classes = [row_segments, scattered]>
#n = affine_map<(n, i, k, j) -> (n)>
#jk = affine_map<(n, i, k, j) -> (k, j)>
#ik = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: #pack = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%A: tensor<4096x?xf32, #CSR>, %B: tensor<?x128xf32>,
                   %C: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
  // CHECK: astfe.profile of %{{.*}} order = "hilbert" min = 256 : tensor<4096x?xf32, #{{.*}}> -> !astfe.profile<4096x?>
  %h = astfe.profile of %A order = "hilbert" min = 256
    : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
  // CHECK: astfe.profile of %{{.*}} order = "rows" hubs = auto min = 8 search = <columns = 32, element_bytes = 4, runs = 100, reorderings = false, whole = true> :
  %chosen = astfe.profile of %A order = "rows" hubs = auto min = 8
    search = <columns = 32, element_bytes = 4, runs = 100, orders = true,
              reorderings = false, gpu = false, whole = true>
    : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
  // CHECK: astfe.profile of %{{.*}} order = "panels" panel = 4 reorder = "labels" hubs = auto min = 8 :
  %renumbered = astfe.profile of %A order = "panels" panel = 4 reorder = "labels"
    hubs = auto min = 8 : tensor<4096x?xf32, #CSR> -> !astfe.profile<4096x?>
  // CHECK: astfe.partition %{{.*}} leaf = 4096 : !astfe.profile<4096x?> -> !astfe.graph<4096x?>
  %g0 = astfe.partition %h leaf = 4096
    : !astfe.profile<4096x?> -> !astfe.graph<4096x?>
  // CHECK: astfe.refine %{{.*}} by %{{.*}} threshold = 6.600000e-01 : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  %g1 = astfe.refine %g0 by %h threshold = 6.6e-01
    : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  // CHECK: astfe.fuse %{{.*}} by %{{.*}} : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  %g2 = astfe.fuse %g1 by %h : !astfe.graph<4096x?>, !astfe.profile<4096x?>
  // CHECK: astfe.pack %{{.*}} by %{{.*}} : tensor<4096x?xf32, #{{.*}}>, !astfe.graph<4096x?> -> !astfe.blocked<4096x?, #pack>
  %P = astfe.pack %A by %g2 : tensor<4096x?xf32, #CSR>, !astfe.graph<4096x?>
    -> !astfe.blocked<4096x?, #pack>
  // CHECK: %[[U:.*]] = astfe.pack %{{.*}} by %{{.*}} unless_stored = <columns = 128, element_bytes = 4> : tensor<4096x?xf32, #{{.*}}>, !astfe.graph<4096x?> -> !astfe.blocked<4096x?, #pack>
  %U = astfe.pack %A by %g2 unless_stored = <columns = 128, element_bytes = 4>
    : tensor<4096x?xf32, #CSR>, !astfe.graph<4096x?>
    -> !astfe.blocked<4096x?, #pack>
  // CHECK: astfe.is_stored %[[U]] : !astfe.blocked<4096x?, #pack>
  %s = astfe.is_stored %U : !astfe.blocked<4096x?, #pack>
  // CHECK: astfe.values %{{.*}} in %{{.*}} : tensor<4096x?xf32, #{{.*}}>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
  %v = astfe.values %A in %P
    : tensor<4096x?xf32, #CSR>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
  // CHECK: %[[R:.*]] = astfe.compute over %{{.*}} : !astfe.blocked<4096x?, #pack> maps [#{{.*}}, #{{.*}}, #{{.*}}]
  // CHECK-NEXT: ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?x128xf32>) outs(%{{.*}} : tensor<4096x128xf32>) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
  // CHECK-NEXT:   astfe.yield "addf" %[[P]] : f32
  // CHECK-NEXT: } kernel <[row_segments, scattered], column_tile = 128> -> tensor<4096x128xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x?, #pack> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<4096x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments, scattered], column_tile = 128>
    -> tensor<4096x128xf32>
  return %r : tensor<4096x128xf32>
}

// -----

func.func @constant() -> !astfe.graph<4096x?> {
  // CHECK: astfe.graph hilbert [4096, 4096] { b00 : 4711  b0100 : 380  b0101 : 377  b11 : 2900 } groups [0, 1, 3, 4] limit 4096 threshold 6.600000e-01 : !astfe.graph<4096x?>
  %g = astfe.graph hilbert [4096, 4096] {
    b00 : 4711   b0100 : 380   b0101 : 377   b11 : 2900
  } groups [0, 1, 3, 4] limit 4096 threshold 6.6e-01 : !astfe.graph<4096x?>
  return %g : !astfe.graph<4096x?>
}

// -----

#i = affine_map<(n, i, k) -> (i)>
#k = affine_map<(n, i, k) -> (k)>

// Layouts print only what differs.
// CHECK-DAG: #[[P:.*]] = #astfe.layout<packed, columns = 8, classes = [scattered, dense_tile], deterministic, assume_finite>
// CHECK-DAG: #[[V:.*]] = #astfe.layout<view, deterministic>
// CHECK-DAG: #[[H:.*]] = #astfe.layout<packed, columns = 32, classes = [row_segments, row_windows], window = 192, dense_bytes = 2048>
// CHECK-DAG: #[[G:.*]] = #astfe.layout<packed, columns = 32, classes = [row_segments], target = gpu, column_tile = 0, deterministic>
// CHECK: @targets(!astfe.blocked<4x8, #[[H]]>, !astfe.blocked<4x8, #[[G]]>)
// CHECK: @layouts(!astfe.blocked<4x8, #[[P]]>, !astfe.blocked<?, #[[V]]>)
func.func private @targets(
    !astfe.blocked<4x8, #astfe.layout<packed, dense_bytes = 2048, window = 192,
      target = host, classes = [row_segments, row_windows]>>,
    !astfe.blocked<4x8, #astfe.layout<packed, deterministic, column_tile = 0,
      target = gpu, classes = [row_segments]>>)
func.func private @layouts(
    !astfe.blocked<4x8, #astfe.layout<packed, assume_finite, deterministic,
      classes = [dense_tile, scattered], columns = 8>>,
    !astfe.blocked<?, #astfe.layout<view, columns = 32, deterministic>>)

// Two outputs, of one contribution each, on buffers; no inputs at all; and
// attributes that are nobody's.
// CHECK-LABEL: @forms
// CHECK:         astfe.compute over %{{.*}} : !astfe.blocked<4x8, #{{.*}}> maps
// CHECK-NEXT:      ins(%{{.*}} : memref<8xf32>) outs(%{{.*}}, %{{.*}} : memref<4xf32>, memref<8xf32>) {
// CHECK:           astfe.yield "addf" %{{.*}} : f32, "maximumf" %{{.*}} : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    astfe.compute over %{{.*}} : !astfe.blocked<4x8, #{{.*}}> maps
// CHECK-NEXT:      ins() outs(%{{.*}} : memref<4xf32>) attributes {note = "degrees"} {
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant
// CHECK-NEXT:      astfe.yield "addf" %[[ONE]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    astfe.compute over %{{.*}} : !astfe.blocked<4x8, #{{.*}}> maps
// CHECK-NEXT:      ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<4xf32>) overwrite attributes {note = "new"} {
// CHECK:           astfe.yield "maximumf" %{{.*}} : f32
// CHECK:         astfe.compute over
// CHECK:           astfe.yield "maximumf" from -1.000000e+00 : f32 %{{.*}} : f32, "addf" %{{.*}} : f32
func.func @forms(%P: !astfe.blocked<4x8, #astfe.layout<view>>,
                 %x: memref<8xf32>, %y: memref<4xf32>, %z: memref<8xf32>) {
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>>
      maps [#k, #i, #k] ins(%x : memref<8xf32>)
      outs(%y, %z : memref<4xf32>, memref<8xf32>) {
  ^bb0(%b: f32):
    astfe.yield "addf" %b : f32, "maximumf" %b : f32
  }
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>>
      maps [#i] ins() outs(%y : memref<4xf32>) attributes {note = "degrees"} {
    %one = arith.constant 1.0 : f32
    astfe.yield "addf" %one : f32
  }
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>>
      maps [#k, #i] ins(%x : memref<8xf32>) outs(%y : memref<4xf32>) overwrite
      attributes {note = "new"} {
  ^bb0(%b: f32):
    astfe.yield "maximumf" %b : f32
  }
  astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>>
      maps [#k, #i, #k] ins(%x : memref<8xf32>)
      outs(%y, %z : memref<4xf32>, memref<8xf32>) overwrite {
  ^bb0(%b: f32):
    astfe.yield "maximumf" from -1.0 : f32 %b : f32, "addf" %b : f32
  }
  return
}

// -----

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>
#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

// CHECK-LABEL: func.func @matrices
// CHECK: astfe.matricize %{{.*}} rows [2, 0] column 1 : tensor<4x?x6xf32, #{{.*}}> to tensor<24x?xf32, #{{.*}}>
func.func @matrices(%T: tensor<4x?x6xf32, #CSF>) -> tensor<24x?xf32, #COO> {
  %A = astfe.matricize %T rows [2, 0] column 1
    : tensor<4x?x6xf32, #CSF> to tensor<24x?xf32, #COO>
  return %A : tensor<24x?xf32, #COO>
}
