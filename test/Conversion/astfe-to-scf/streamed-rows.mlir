// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Where C = A B, A's values and B outgrow half of a last cache, 16 MiB, C's rows
// begin lines and rows of B are near, rows are stored past the caches; a worker
// ends with a locked instruction, which orders them. A row of more than 64
// nonzeros in two tiles is written piece by piece, and stays in the cache. Rows
// of B are near where there are fewer nonzeros than rows of C, whose stores are
// most traffic then.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @view(
// CHECK-DAG:     %[[CACHE:.*]] = arith.constant 16777216 : index
// CHECK-DAG:     %[[WORD:.*]] = memref.alloca() : memref<i32>
// CHECK:         %[[ROWS:.*]] = memref.dim %{{.*}}, %c0 : memref<?x512xf32
// CHECK:         %[[LEAST:.*]] = arith.maxui %[[ROWS]], %c1 : index
// CHECK:         %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %[[LEAST]] : index
// CHECK:         %[[LOOK:.*]] = arith.andi %[[MANY]], %{{.*}} : i1
// CHECK:         %[[FAR:.*]] = scf.if %[[LOOK]] -> (i1) {
// CHECK:         %[[C:.*]] = arith.muli %[[ROWS]], %c2048 : index
// CHECK:         %[[VALUES:.*]] = arith.muli %{{.*}}, %c4 : index
// CHECK:         %[[SOME:.*]] = arith.addi %[[C]], %[[VALUES]] : index
// CHECK:         %[[ALL:.*]] = arith.addi %[[SOME]], %{{.*}} : index
// CHECK:         %[[OUTGROWS:.*]] = arith.cmpi ugt, %[[ALL]], %[[CACHE]] : index
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         %[[LOW:.*]] = arith.andi %{{.*}}, %c63 : index
// CHECK:         %[[LINES:.*]] = arith.cmpi eq, %[[LOW]], %c0 : index
// CHECK:         %[[BOTH:.*]] = arith.andi %[[OUTGROWS]], %[[LINES]] : i1
// CHECK:         %[[NEAR:.*]] = arith.xori %[[FAR]], %true : i1
// CHECK:         %[[ON:.*]] = arith.andi %[[BOTH]], %[[NEAR]] : i1
// CHECK:         scf.parallel
// CHECK:           %[[SHORT:.*]] = arith.cmpi ule, %{{.*}}, %c64 : index
// CHECK:           %[[PAST:.*]] = arith.andi %[[ON]], %[[SHORT]] : i1
// CHECK:           scf.if %[[PAST]] {
// CHECK-COUNT-16:    vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:           } else {
// CHECK-COUNT-16:    vector.store %{{[^ ]*}}, %{{[^{]*}} : memref<
// CHECK:           scf.if %[[ON]] {
// CHECK-NEXT:        memref.atomic_rmw assign %c0_i32, %[[WORD]][]
// CHECK:           scf.reduce
func.func @view(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x512xf32>,
                %C: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x512xf32>)
      outs(%C : tensor<?x512xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}

// -----

// Rows that end within a line, and sums that are added, are not.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @within(
// CHECK-NOT:     nontemporal
// CHECK-NOT:     memref.atomic_rmw
// CHECK:         return
func.func @within(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x100xf32>,
                  %C: tensor<?x100xf32>, %D: tensor<?x128xf32>,
                  %E: tensor<?x128xf32>)
    -> (tensor<?x100xf32>, tensor<?x128xf32>) {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x100xf32>)
      outs(%C : tensor<?x100xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x100xf32>
  %s = astfe.compute over %P : !astfe.blocked<?x?, #view>
      maps [#n, #jk, #ik]
      ins(%v, %D : tensor<?xf32>, tensor<?x128xf32>)
      outs(%E : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r, %s : tensor<?x100xf32>, tensor<?x128xf32>
}

// -----

// Packed rows, where no two segments write one row and the row is not shared,
// and rows without segments, wherever rows of B are.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @packed(
// CHECK:         %[[ALLFIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0 : index
// CHECK:         %[[OUTGROWS:.*]] = arith.cmpi ugt, %{{.*}}, %c16777216 : index
// CHECK:         arith.xori %{{.*}}, %true : i1
// CHECK:         %[[ON:.*]] = arith.andi %{{.*}}, %[[ALLFIRST]] : i1
// A gap is one run, from a line on, of an output that begins with a whole element.
// Those up to the last row of a span are cleared before it, the others at the end.
// CHECK:         %[[FLAT:.*]] = memref.reinterpret_cast
// CHECK:         %[[BELOW:.*]] = arith.andi %{{.*}}, %c3 : index
// CHECK:         %[[WHOLE:.*]] = arith.cmpi eq, %[[BELOW]], %c0 : index
// CHECK:         %[[CLEARS:.*]] = arith.andi %[[OUTGROWS]], %[[WHOLE]] : i1
// CHECK:         scf.parallel
// CHECK:           %[[LATER:.*]] = scf.for {{.*}} iter_args(%[[NEXT:.*]] = %{{.*}}) -> (index)
// CHECK:             %[[SOME:.*]] = arith.cmpi ult, %[[NEXT]], %[[END:.*]] : index
// CHECK:             scf.if %[[SOME]] -> (index) {
// CHECK:               %[[EACH:.*]] = scf.for {{.*}} step %c16 iter_args({{.*}}) -> (vector<16xi32>)
// CHECK:                 arith.maxsi {{.*}} : vector<16xi32>
// CHECK:               %[[MOST:.*]] = vector.reduction <maxsi>, %[[EACH]]
// CHECK:               %[[LAST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[MOST]])
// CHECK:                 arith.maxsi {{.*}} : i32
// CHECK:               scf.while (%[[GAP:.*]] = %[[NEXT]])
// CHECK:                 arith.cmpi ult, %[[GAP]], %[[END]] : index
// CHECK:                 arith.cmpi sle, %{{.*}}, %[[LAST]] : i32
// CHECK:                 scf.if %[[CLEARS]] {
// CHECK:                   memref.store %{{.*}}, %[[FLAT]]
// CHECK:                   vector.store %{{.*}}, %[[FLAT]]{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:                   memref.store %{{.*}}, %[[FLAT]]
// CHECK:                 } else {
// CHECK-NOT:               nontemporal
// CHECK:             %[[OWN:.*]] = arith.cmpi sge, %{{.*}}, %c0_i32 : i32
// CHECK:             %[[PAST:.*]] = arith.andi %[[ON]], %[[OWN]] : i1
// CHECK:             scf.if %[[PAST]] {
// CHECK-COUNT-8:       vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:           scf.for {{.*}} = %[[LATER]] to %[[END]]
// CHECK:             scf.if %[[CLEARS]] {
// CHECK:           scf.if %[[CLEARS]] {
// CHECK-NEXT:        memref.atomic_rmw assign
// CHECK:           scf.if %[[ON]] {
// CHECK-NEXT:        memref.atomic_rmw assign
func.func @packed(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                  %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// Gaps of rows of 128 bytes and less are joined beyond written rows, up to 4096
// rows: only a longer run goes past the caches.
// CHECK-LABEL: func.func @short_rows(
// CHECK:         %[[SHORT_OUTGROWS:.*]] = arith.cmpi ugt, %{{.*}}, %c16777216 : index
// CHECK:         %[[SHORT_CLEARS:.*]] = arith.andi %[[SHORT_OUTGROWS]], %{{.*}} : i1
// CHECK:         scf.parallel
// CHECK:             scf.while
// CHECK:               %[[ONE_GAP:.*]] = arith.cmpi ugt, %{{.*}}, %c4096 : index
// CHECK:               %[[LONG:.*]] = arith.andi %{{.*}}, %[[ONE_GAP]] : i1
// CHECK:               %[[PAYS:.*]] = arith.andi %[[SHORT_CLEARS]], %[[LONG]] : i1
// CHECK:               scf.if %[[PAYS]] {
// CHECK:                 nontemporal = true
func.func @short_rows(%A: tensor<?x?xf32, #CSR>,
                      %P: !astfe.blocked<?x?, #rows>, %B: tensor<?x20xf32>,
                      %C: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x20xf32>)
      outs(%C : tensor<?x20xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}
