// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// Bricks: workers have ranges of the key's rows, which nobody else writes; each
// mode that may have fibers has a nest of loops, and what a fiber reads once is
// multiplied in once.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k, r) -> (n)>
#ir = affine_map<(n, i, j, k, r) -> (i, r)>
#jr = affine_map<(n, i, j, k, r) -> (j, r)>
#kr = affine_map<(n, i, j, k, r) -> (k, r)>

// CHECK-LABEL: func.func @mttkrp(
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr,
// CHECK:         %[[SLOTS:.*]] = call @astfe_rt_slots(%[[P]])
// CHECK:         call @astfe_rt_brick_values_f32(%[[P]], %c1_i64,
// CHECK:         %[[SLICES:.*]] = call @astfe_rt_brick_slices(%[[P]], %c3_i64, %c1_i64, %c4_i64)
// CHECK:         %[[OK:.*]] = arith.cmpi ne, %[[SLICES]], %c0_i64
// CHECK:         scf.if %[[OK]] {
// CHECK:           scf.if
// CHECK:             %[[WORKERS:.*]] = func.call @astfe_rt_workers()
// CHECK:             %[[ROWS:.*]] = func.call @astfe_rt_brick_rows_ascend(%[[P]], %c1_i64, %[[WORKERS]])
// CHECK:             %[[ONCE:.*]] = arith.cmpi ne, %[[ROWS]], %c0_i64
// Where the key has no copy, bricks and values are arranged slice by slice.
// CHECK:             %[[END:.*]] = arith.index_cast %[[SLICES]]
// CHECK:             scf.for %[[N:.*]] = %c0{{.*}} to %[[END]] step
// CHECK:             %[[NUMBER:.*]] = arith.index_cast %[[N]]
// CHECK:             %[[S:.*]] = func.call @astfe_rt_brick_slice(%[[P]], %c1_i64, %[[NUMBER]], %[[SLICES]])
// CHECK:             %[[OF:.*]] = func.call @astfe_rt_brick_slice_values(%[[S]], %c1_i64, %{{.*}}, %c4_i64, %c0_i64, %c1_i64)
// CHECK:             memref.view %[[OF]]
// CHECK:             %[[FITS:.*]] = func.call @astfe_rt_bricks_fit(%[[S]], %c3_i64, %c1_i64)
// CHECK:             %[[THERE:.*]] = arith.cmpi ne, %[[FITS]], %c0_i64
// CHECK:             scf.if %[[THERE]] {
// CHECK:             %[[RANGES:.*]] = func.call @astfe_rt_workers()
// CHECK:             %[[MODE:.*]] = func.call @astfe_rt_brick_fiber_mode(%[[S]], %c1_i64)
// CHECK:             %[[BITS:.*]] = func.call @astfe_rt_brick_bits(%[[S]], %c1_i64)
// CHECK:             %[[NARROW:.*]] = arith.cmpi eq, %[[BITS]], %c16_i64
// CHECK:             scf.if %[[NARROW]] {
// CHECK-COUNT-3:       func.call @astfe_rt_brick_table_i16(%[[S]], %c1_i64, %[[RANGES]],
// CHECK:               scf.parallel
// Of rows that come once those without nonzeros are cleared, and each is stored.
// They lie side by side, and are one run: from a line on past the caches where
// the output outgrows these.
// CHECK:                 scf.if %[[ONCE]] {
// CHECK:                   %[[FLAT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<?x32xf32> to memref<?xf32>
// CHECK:                   %[[OUTGROWS:.*]] = arith.cmpi ugt, %{{.*}}, %c33554432{{.*}} : index
// CHECK:                   %[[ALIGNED:.*]] = arith.cmpi eq, %{{.*}}, %c0{{.*}} : index
// CHECK:                   %[[PAST:.*]] = arith.andi %[[OUTGROWS]], %[[ALIGNED]] : i1
// CHECK:                   %[[NEXT:.*]] = scf.for {{.*}} iter_args
// CHECK:                     scf.for {{.*}} iter_args
// CHECK:                       scf.if %[[PAST]] {
// CHECK:                         %[[LINE:.*]] = arith.minui
// CHECK:                         scf.for %{{.*}} to %[[LINE]] step %c1{{.*}} {
// CHECK-NEXT:                      memref.store %{{.*}}, %[[FLAT]]
// CHECK:                         scf.for %{{.*}} = %[[LINE]] to %{{.*}} step %c16{{.*}} {
// CHECK-NEXT:                      vector.store %cst{{.*}}, %[[FLAT]]{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:                       } else {
// CHECK:                         scf.for %{{.*}} to %[[WHOLE:.*]] step %c16{{.*}} {
// CHECK-NEXT:                      vector.store %cst{{.*}}, %[[FLAT]][%{{[^ ]*}}] : memref<?xf32>, vector<16xf32>
// CHECK-NEXT:                    }
// CHECK:                         %[[LEFT:.*]] = arith.subi %{{.*}}, %[[WHOLE]] : index
// CHECK-NEXT:                    %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<16xi1>
// CHECK-NEXT:                    vector.maskedstore %[[FLAT]][%[[WHOLE]]], %[[MASK]], %cst{{.*}} : memref<?xf32>, vector<16xi1>, vector<16xf32>
// CHECK:                   arith.muli %[[NEXT]], %c32
// CHECK:                   scf.if %[[PAST]] {
// CHECK:                     memref.atomic_rmw assign
// CHECK:                   } else {
// Rows are asked for ahead where they are not all in the second cache, but not
// those that are only written.
// CHECK:                   arith.muli %{{.*}}, %c128
// CHECK:                   %[[FACTORS:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:                   %[[ALL:.*]] = arith.addi %[[FACTORS]], %{{.*}} : index
// CHECK:                   %[[FAR:.*]] = arith.cmpi ugt, %[[ALL]], %c1048576 : index
// CHECK:                   scf.if %[[FAR]] {
// CHECK:                     scf.index_switch %{{.*}}
// CHECK:                     default {
// CHECK-NOT:                   memref.prefetch %{{.*}}, write
// CHECK:                       %[[ROW:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK:                         memref.prefetch %{{.*}}, read
// CHECK:                       vector.store %[[ROW]]#0, %{{.*}}
// CHECK:                   } else {
// CHECK-NOT:                 memref.prefetch
// Others are cleared in the first slice, all rows of the range, and added to.
// CHECK:                 } else {
// CHECK:                   %[[FIRST:.*]] = arith.cmpi eq, %[[NUMBER]], %c0_i64
// CHECK:                   scf.if %[[FIRST]] {
// CHECK:                     vector.store %cst{{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK:                     memref.atomic_rmw assign
// CHECK:                     vector.maskedstore %{{.*}}, %cst{{.*}} : memref<?xf32>, vector<16xi1>, vector<16xf32>
// CHECK:                   scf.if %{{.*}} {
// CHECK:                     scf.index_switch %{{.*}}
// Fibers of mode 0: the product with their rows follows the sum over slots.
// CHECK-NEXT:                case 0 {
// CHECK:                       %[[SUM:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK:                       arith.mulf %[[SUM]]#0, %{{.*}} fastmath<contract> : vector<16xf32>
// CHECK:                     case 2 {
// CHECK:                     default {
// Operands are read from the brick's origin on, by local coordinates.
// CHECK:                       memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, 32], strides: [32, 1]
// CHECK:                       memref.prefetch %{{.*}}, write
// CHECK:                       %[[ADDED:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK:                         memref.prefetch %{{.*}}, read
// CHECK:                       arith.addf %{{.*}}, %[[ADDED]]#0
// CHECK:             } else {
// CHECK-COUNT-3:       func.call @astfe_rt_brick_table_i32(%[[S]], %c1_i64, %[[RANGES]],
// CHECK:               scf.parallel
// Rows that take 32 bits to number are not in that cache.
// CHECK-NOT:             arith.cmpi ugt, %{{.*}}, %c1048576
// CHECK:             func.call @astfe_rt_release(%[[S]])
// CHECK:           } else {
// CHECK:             func.call @astfe_rt_report
func.func @mttkrp(%T: tensor<?x?x?xf32, #CSF>, %P: !astfe.blocked<?x?x?, #pack>,
                  %A: tensor<?x32xf32>, %C: tensor<?x32xf32>,
                  %M: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %v = astfe.values %T in %P key = 1
    : tensor<?x?x?xf32, #CSF>, !astfe.blocked<?x?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?x?, #pack>
      maps [#n, #ir, #kr, #jr]
      ins(%v, %A, %C : tensor<?xf32>, tensor<?x32xf32>, tensor<?x32xf32>)
      outs(%M : tensor<?x32xf32>) overwrite {
  ^bb0(%x: f32, %a: f32, %c: f32):
    %p = arith.mulf %x, %a : f32
    %q = arith.mulf %p, %c : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

#m = affine_map<(n, i, j, k) -> (n)>
#k = affine_map<(n, i, j, k) -> (k)>
#ij = affine_map<(n, i, j, k) -> (i, j)>

// Without a dense dimension there are scalars, and still a range a worker.
// CHECK-LABEL: func.func @ttv(
// CHECK:         scf.parallel
// CHECK:           case 1 {
// A fiber has one element of the output.
// CHECK:             %[[SUM:.*]] = scf.for {{.*}} -> (f64)
// CHECK:             arith.addf {{.*}}%[[SUM]]
// CHECK:           default {
// CHECK-NOT:         -> (f64)
// CHECK:           scf.parallel
func.func @ttv(%P: !astfe.blocked<?x?x?, #pack>, %v: memref<?xf64>,
               %x: memref<?xf64>, %y: memref<?x?xf64>) {
  astfe.compute over %P : !astfe.blocked<?x?x?, #pack> maps [#m, #k, #ij]
      ins(%v, %x : memref<?xf64>, memref<?xf64>) outs(%y : memref<?x?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  }
  return
}

// Without dense columns slots are walked, whatever fibers there are, and added to
// four sums in turn.
#j0 = affine_map<(n, i, j, k) -> (j)>
#i0 = affine_map<(n, i, j, k) -> (i)>
// CHECK-LABEL: func.func @vectors(
// CHECK-NOT:     index_switch
// CHECK:         %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%[[S0:.*]] = %cst{{.*}}, %[[S1:.*]] = %cst{{.*}}, %[[S2:.*]] = %cst{{.*}}, %[[S3:.*]] = %cst{{.*}}) -> (f64, f64, f64, f64) {
// CHECK:           %[[LAST:.*]] = arith.addf %[[S0]], %{{.*}} : f64
// CHECK-NEXT:      scf.yield %[[S1]], %[[S2]], %[[S3]], %[[LAST]]
// CHECK:         %[[A:.*]] = arith.addf %[[SUMS]]#0, %[[SUMS]]#1
// CHECK-NEXT:    %[[B:.*]] = arith.addf %[[A]], %[[SUMS]]#2
// CHECK-NEXT:    arith.addf %[[B]], %[[SUMS]]#3
// CHECK-NOT:     index_switch
// CHECK-LABEL: func.func @factor_of_two_modes(
func.func @vectors(%P: !astfe.blocked<?x?x?, #pack>, %v: memref<?xf64>,
                   %x: memref<?xf64>, %y: memref<?xf64>,
                   %z: memref<?xf64>) {
  astfe.compute over %P : !astfe.blocked<?x?x?, #pack> maps [#m, #k, #j0, #i0]
      ins(%v, %x, %y : memref<?xf64>, memref<?xf64>, memref<?xf64>)
      outs(%z : memref<?xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.mulf %p, %c : f64
    astfe.yield "addf" %q : f64
  }
  return
}

// An output of two modes is added to once for each fiber of the second one; of
// other fibers slots are walked, too.
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
// CHECK:         scf.index_switch %{{.*}}
// CHECK-NEXT:      case 2 {
// CHECK:             %[[SUM:.*]] = scf.for {{.*}} -> (f64)
// CHECK:             arith.addf {{.*}}%[[SUM]]
// CHECK:           default {
// CHECK-NOT:         -> (f64)
// CHECK:         scf.index_switch %{{.*}}
// CHECK-NEXT:      case 2 {
func.func @factor_of_two_modes(%P: !astfe.blocked<?x?x?, #pack>,
                               %v: memref<?xf64>, %x: memref<?x?xf64>,
                               %y: memref<?x?xf64>) {
  astfe.compute over %P : !astfe.blocked<?x?x?, #pack> maps [#m, #jk, #ik]
      ins(%v, %x : memref<?xf64>, memref<?x?xf64>) outs(%y : memref<?x?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  }
  return
}

// Without values all is known at a fiber of mode 1, and nothing is left for its
// slots to sum: what it reads is added for each of them.
// CHECK-LABEL: func.func @no_values(
// CHECK:         scf.index_switch %{{.*}}
// CHECK-NEXT:      case 1 {
// CHECK:             %[[X:.*]] = vector.load {{.*}} : memref<?x16xf32, strided<[16, 1], offset: ?>>
// CHECK:             arith.addf %{{.*}}, %[[X]] {{.*}}: vector<16xf32>
#jr16 = affine_map<(n, i, j, k, r) -> (j, r)>
#ir16 = affine_map<(n, i, j, k, r) -> (i, r)>
func.func @no_values(%P: !astfe.blocked<?x?x?, #pack>, %x: tensor<?x16xf32>,
                     %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?x?, #pack> maps [#jr16, #ir16]
      ins(%x : tensor<?x16xf32>) outs(%y : tensor<?x16xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Columns that are summed over are lanes, too: a segment's sums are added up, and
// added to its row, which is cleared before. Of 25 columns the second vector leaves
// out the lanes of the first.
#jr25 = affine_map<(n, i, j, k, r) -> (j, r)>
#kr25 = affine_map<(n, i, j, k, r) -> (k, r)>
#i25 = affine_map<(n, i, j, k, r) -> (i)>
// CHECK-LABEL: func.func @totals(
// CHECK-DAG:     %[[OWN:.*]] = arith.constant dense<[false, false, false, false, false, false, false, true, true,
// CHECK-NOT:     astfe_rt_brick_rows_ascend
// CHECK:         memref.store %cst
// CHECK:         %[[SUMS:.*]]:3 = scf.for {{.*}} -> (index, vector<16xf32>, vector<16xf32>)
// CHECK:         %[[REST:.*]] = arith.select %[[OWN]], %[[SUMS]]#2
// CHECK:         arith.addf %[[SUMS]]#1, %[[REST]]
// CHECK:         %[[TOTAL:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK:         %[[BEFORE:.*]] = memref.load
// CHECK-NEXT:    %[[AFTER:.*]] = arith.addf %[[BEFORE]], %[[TOTAL]]
// CHECK-NEXT:    memref.store %[[AFTER]]
func.func @totals(%P: !astfe.blocked<?x?x?, #pack>, %v: memref<?xf32>,
                  %B: memref<?x25xf32>, %C: memref<?x25xf32>,
                  %y: memref<?xf32>) {
  astfe.compute over %P : !astfe.blocked<?x?x?, #pack>
      maps [#n, #jr25, #kr25, #i25]
      ins(%v, %B, %C : memref<?xf32>, memref<?x25xf32>, memref<?x25xf32>)
      outs(%y : memref<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.mulf %p, %a : f32
    astfe.yield "addf" %q : f32
  }
  return
}
