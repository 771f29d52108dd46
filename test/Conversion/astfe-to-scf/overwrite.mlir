// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// Where the output is overwritten, nothing is read of it that was not written:
// rows of a view and rows of one segment are stored.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// Rows without nonzeros are rows as others: no test for them before the loops
// over nonzeros.
// CHECK-LABEL: func.func @view(
// CHECK:         %[[C:.*]] = memref.assume_alignment
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK-NOT:       scf.if
// CHECK:             scf.for {{.*}} step %c4
// CHECK:             scf.for {{.*}} step %c1
// CHECK-NOT:       vector.load %[[C]]
// CHECK:           vector.store %{{.*}}, %[[C]]
// CHECK-NOT:     vector.load %[[C]]
// CHECK:         return
func.func @view(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x16xf32>,
                %C: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x16xf32>)
      outs(%C : tensor<?x16xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Partial rows are not cleared; gaps are; a segment that is the first to write
// its row stores, another one adds; shared rows begin with a partial row.
// CHECK-LABEL: func.func @packed(
// CHECK:         %[[C:.*]] = memref.assume_alignment
// CHECK:         %[[FIRST:.*]] = func.call @astfe_rt_table_i8(
// CHECK:         %[[MARKS:.*]] = memref.dim %[[FIRST]]
// CHECK:         %[[ALL:.*]] = arith.cmpi eq, %[[MARKS]]
// CHECK:         %[[LENT:.*]] = func.call @astfe_rt_lend(
// CHECK:         %[[PARTIALS:.*]] = memref.view %[[LENT]]
// CHECK-NOT:     vector.store
// CHECK:         %[[FLAT:.*]] = memref.reinterpret_cast %[[C]]
// CHECK:         scf.parallel
// CHECK:           vector.store %{{.*}}, %[[FLAT]]
// CHECK:           %[[TO:.*]] = arith.select %{{.*}}, %[[PARTIALS]], %[[C]]
// CHECK:           %[[STORES:.*]] = scf.if %[[ALL]] -> (i1) {
// CHECK:           } else {
// CHECK:             memref.load %[[FIRST]]
// CHECK:           %[[ROW:.*]] = scf.if %[[STORES]] -> (vector<16xf32>) {
// CHECK-NEXT:        scf.yield
// CHECK:           } else {
// CHECK:             vector.load %[[TO]]
// CHECK:           vector.store %[[ROW]], %[[TO]]
// CHECK:         vector.load %[[PARTIALS]]
// CHECK:         scf.for
// CHECK:         vector.store %{{.*}}, %[[C]]
// CHECK-NOT:     vector.load %[[C]]
// CHECK:         return
func.func @packed(%P: !astfe.blocked<?x?, #rows>, %v: tensor<?xf32>,
                  %B: tensor<?x16xf32>, %C: tensor<?x16xf32>)
    -> tensor<?x16xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x16xf32>)
      outs(%C : tensor<?x16xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// An output that others read is not copied, only as large.
// CHECK-LABEL: func.func @reused(
// CHECK:         bufferization.alloc_tensor(%{{.*}}) : tensor<?x16xf32>
func.func @reused(%P: !astfe.blocked<?x?, #rows>, %v: tensor<?xf32>,
                  %B: tensor<?x16xf32>, %C: tensor<?x16xf32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x16xf32>)
      outs(%C : tensor<?x16xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x16xf32>
  return %r, %C : tensor<?x16xf32>, tensor<?x16xf32>
}
