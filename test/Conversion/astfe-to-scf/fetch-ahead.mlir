// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Rows of the operand are fetched 16 nonzeros ahead, up to the end of the
// span, where it has more than 4 MiB, 512 bytes a row, and columns of nonzeros
// that are stored side by side lie so far from each other on average. Each
// nonzero asks for a row, those behind the last pair and those of scattered
// spans too.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @packed(
// CHECK-DAG:     %[[ROWBYTES:.*]] = arith.constant 512 : index
// CHECK-DAG:     %[[MOST:.*]] = arith.constant 4194304 : index
// CHECK-DAG:     %[[ALLSAMPLES:.*]] = arith.constant 268435456 : index
// CHECK-DAG:     %[[COUNT:.*]] = memref.dim %[[COLUMNS:.*]], %c0 : memref<?xi32>
// CHECK-DAG:     %[[BYTES:.*]] = arith.muli %{{.*}}, %[[ROWBYTES]] : index
// CHECK:         %[[OUTGROWS:.*]] = arith.cmpi ugt, %[[BYTES]], %[[MOST]] : index
// CHECK:         %[[ASKS:.*]] = arith.andi %{{.*}}, %[[OUTGROWS]]
// CHECK:         %[[FAR:.*]] = scf.if %[[ASKS]] -> (i1) {
// CHECK:           %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %c64 step %c1
// CHECK:             scf.for
// CHECK:               arith.minui
// CHECK:               arith.maxui
// CHECK:           %[[REACH:.*]] = arith.muli %[[SUM]], %[[ROWBYTES]] : index
// CHECK:           arith.cmpi ugt, %[[REACH]], %[[ALLSAMPLES]] : index
// CHECK:         scf.parallel
// CHECK:           case 0 {
// CHECK:             %[[LAST:.*]] = arith.subi
// CHECK:             scf.for %[[N:[^ ]*]] = {{.*}} step %c2 iter_args
// CHECK:               scf.if %[[FAR]] {
// CHECK:                 %[[AHEAD:.*]] = arith.addi %[[N]], %c16
// CHECK:                 %[[AT:.*]] = arith.minui %[[AHEAD]], %[[LAST]]
// CHECK:                 %[[STORED:.*]] = memref.load %[[COLUMNS]][%[[AT]]] : memref<?xi32>
// CHECK:                 %[[COLUMN:.*]] = arith.index_castui %[[STORED]]
// CHECK-NOT:             scf.for
// CHECK:                 memref.prefetch %{{.*}}[%[[COLUMN]], %c0], read, locality<3>, data : memref<?x128xf32>
// CHECK-COUNT-7:         memref.prefetch %{{.*}}[%[[COLUMN]], %{{.*}}], read, locality<3>
// CHECK-COUNT-8:         memref.prefetch {{.*}} read, locality<3>
// CHECK:             scf.for %[[REST:[^ ]*]] = {{.*}} step %c1 iter_args
// CHECK:               scf.if %[[FAR]] {
// CHECK-NEXT:            arith.addi %[[REST]], %c16
// CHECK-COUNT-8:         memref.prefetch {{.*}} read, locality<3>
// CHECK-NOT:             memref.prefetch {{.*}} read
// CHECK:           default {
// CHECK:             %[[END:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK:             scf.if %[[FAR]] {
// CHECK:               %[[LATER:.*]] = arith.minui %{{.*}}, %[[END]]
// CHECK:               memref.load %[[COLUMNS]][%[[LATER]]]
// CHECK-COUNT-8:       memref.prefetch {{.*}} read, locality<3>
// CHECK-NOT:         memref.prefetch {{.*}} read
// CHECK:         return
func.func @packed(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                  %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

// Rows of less than a vector are not fetched.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     memref.prefetch {{.*}} read
// CHECK:         return
func.func @narrow(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                  %B: tensor<?x8xf32>, %C: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// A view's nonzeros end where its positions do. The first tile of a row fetches
// for all, where rows have 1 KiB at most.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @view(
// CHECK:         %[[FAR:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:         %[[LAST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK:         scf.parallel
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0 : index
// CHECK:           %[[FETCHES:.*]] = arith.andi %[[FAR]], %[[FIRST]]
// CHECK:           %[[SHORT:.*]] = arith.cmpi ule, %{{.*}}, %c256 : index
// CHECK:           %[[ASKS:.*]] = arith.andi %[[FETCHES]], %[[SHORT]]
// CHECK:           scf.if %[[ASKS]] {
// CHECK:             arith.minui %{{.*}}, %[[LAST]]
// CHECK:             scf.for %{{.*}} = %c0 to %{{.*}} step %c16 {
// CHECK:             memref.prefetch {{.*}} read, locality<3>
func.func @view(%A: tensor<?x?xf32, #CSR>, %a: tensor<?xf32>,
                %p: memref<?xi32>, %c: memref<?xi32>, %m: index, %n: index,
                %B: tensor<?x?xf32>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %P = astfe.view %p, %c[%m, %n]
    : memref<?xi32>, memref<?xi32> -> !astfe.blocked<?x?, #view>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view>
      maps [#n, #jk, #ik]
      ins(%a, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %q = arith.mulf %x, %y : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Samples ask for the rows that nonzeros gather, and for none of the key's.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK-LABEL: func.func @sampled(
// CHECK-SAME:    memref<?x32xf32>, %[[Y:.*]]: memref<?x32xf32>, %
// CHECK:         scf.parallel
// CHECK:           scf.for %[[N:[^ ]*]] = {{.*}} step %c4
// CHECK:             scf.if %{{.*}} {
// CHECK-NEXT:          arith.addi %[[N]], %c16
// CHECK-COUNT-8:       memref.prefetch %[[Y]][{{.*}} read, locality<3>
// CHECK-NOT:           memref.prefetch
// CHECK:             vector.load %[[Y]]
// CHECK:           scf.for
// CHECK-COUNT-2:     memref.prefetch %[[Y]][
// CHECK-NOT:         memref.prefetch
func.func @sampled(%A: tensor<?x?xf32, #CSR>, %X: memref<?x32xf32>,
                   %Y: memref<?x32xf32>, %S: memref<?xf32>) {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#ik, #jk, #n]
      ins(%X, %Y : memref<?x32xf32>, memref<?x32xf32>)
      outs(%S : memref<?xf32>) overwrite {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    astfe.yield "addf" %p : f32
  }
  return
}

// -----

// Packed ones do so up to the end of their span, and where half of the last cache
// does not hold the rows.

#rows = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

// CHECK-LABEL: func.func @sampled_packed(
// CHECK-SAME:    memref<?x32xf32>, %[[Y:.*]]: memref<?x32xf32>, %
// CHECK:         %[[NEAR:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:         %[[OUTGROWS:.*]] = arith.cmpi ugt, %{{.*}}, %c16777216 : index
// CHECK:         %[[FAR:.*]] = arith.andi %[[NEAR]], %[[OUTGROWS]] : i1
// CHECK:         scf.parallel
// CHECK:           %[[LAST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK:           scf.for %[[N:[^ ]*]] = {{.*}} step %c4
// CHECK:             scf.if %[[FAR]] {
// CHECK-NEXT:          %[[AHEAD:.*]] = arith.addi %[[N]], %c16
// CHECK-NEXT:          arith.minui %[[AHEAD]], %[[LAST]]
// CHECK-COUNT-8:       memref.prefetch %[[Y]][{{.*}} read, locality<3>
// CHECK-NOT:           memref.prefetch
// CHECK:             vector.load %[[Y]]
// CHECK:           scf.for
// CHECK-COUNT-2:     memref.prefetch %[[Y]][
// CHECK-NOT:         memref.prefetch
func.func @sampled_packed(%P: !astfe.blocked<?x?, #rows>, %X: memref<?x32xf32>,
                          %Y: memref<?x32xf32>, %S: memref<?xf32>) {
  astfe.compute over %P : !astfe.blocked<?x?, #rows> maps [#ik, #jk, #n]
      ins(%X, %Y : memref<?x32xf32>, memref<?x32xf32>)
      outs(%S : memref<?xf32>) overwrite {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    astfe.yield "addf" %p : f32
  }
  return
}
