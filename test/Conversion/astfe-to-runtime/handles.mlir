// RUN: astfe-opt %s --convert-astfe-to-scf | FileCheck %s

// Each op is one call; handles end after their last use, or leave.

#COO = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique), j : singleton)}>
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 64
}>
#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed)
}>
#L = #astfe.layout<packed, columns = 32, classes = [scattered], deterministic>

// CHECK-DAG: func.func private @astfe_rt_pack_p32c64(memref<?xi32>, memref<?xi64>, i64, i64, i64, !llvm.ptr, memref<?xi8>, i64, i64) -> !llvm.ptr attributes {llvm.emit_c_interface}
// CHECK-DAG: func.func private @astfe_rt_release(!llvm.ptr) attributes {llvm.emit_c_interface}

// CHECK-LABEL: func.func @prepare(
// CHECK-SAME:    -> !llvm.ptr
// CHECK:         %[[H:.*]] = call @astfe_rt_profile_p32c64
// CHECK:         %[[G0:.*]] = call @astfe_rt_partition(%[[H]],
// CHECK:         %[[NAN:.*]] = arith.constant 0x7FF8000000000000 : f64
// CHECK:         %[[G1:.*]] = call @astfe_rt_refine(%[[G0]], %[[H]], %[[NAN]],
// CHECK:         call @astfe_rt_release(%[[G0]])
// CHECK:         %[[TAU:.*]] = arith.constant 6.600000e-01 : f64
// CHECK:         %[[G2:.*]] = call @astfe_rt_fuse(%[[G1]], %[[H]], %[[TAU]],
// CHECK-DAG:     call @astfe_rt_release(%[[G1]])
// CHECK-DAG:     call @astfe_rt_release(%[[H]])
// CHECK:         %[[P:.*]] = call @astfe_rt_pack_p32c64
// CHECK:         call @astfe_rt_release(%[[G2]])
// CHECK-NOT:     call @astfe_rt
// CHECK:         return %[[P]]
func.func @prepare(%A: tensor<?x?xf32, #CSR>) -> !astfe.blocked<?x?, #L> {
  %h = astfe.profile of %A order = "hilbert" min = 256
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g0 = astfe.partition %h leaf = 4096
    : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %g1 = astfe.refine %g0 by %h : !astfe.graph<?x?>, !astfe.profile<?x?>
  %g2 = astfe.fuse %g1 by %h threshold = 6.6e-01
    : !astfe.graph<?x?>, !astfe.profile<?x?>
  %P = astfe.pack %A by %g2 : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #L>
  return %P : !astfe.blocked<?x?, #L>
}

// The profile of a CSC matrix: rows and columns stay rows and columns.
// CHECK-LABEL: func.func @csc(
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[ROWS:.*]] = tensor.dim %{{.*}}, %[[C0]]
// CHECK:         %[[ROWS64:.*]] = arith.index_cast %[[ROWS]]
// CHECK:         call @astfe_rt_profile_p64c64(%{{.*}}, %{{.*}}, %[[ROWS64]],
func.func @csc(%A: tensor<?x?xf32, #CSC>) -> !astfe.profile<?x?> {
  %h = astfe.profile of %A order = "rows" min = 4
    : tensor<?x?xf32, #CSC> -> !astfe.profile<?x?>
  return %h : !astfe.profile<?x?>
}

// What is chosen at run time, too: rows, panels of 2^10, 4 and no reordering,
// then hubs, columns, bytes, runs, and the set of all but samples and gpu.
// CHECK-LABEL: func.func @searched(
// CHECK:         %[[AUTO:.*]] = arith.constant -1 : i64
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.constant 32 : i64
// CHECK-NEXT:    %[[BYTES:.*]] = arith.constant 4 : i64
// CHECK-NEXT:    %[[RUNS:.*]] = arith.constant 100 : i64
// CHECK-NEXT:    %[[SET:.*]] = arith.constant 19 : i64
// CHECK:         call @astfe_rt_searched_profile_p32c64(%{{.*}}, %[[AUTO]], %[[COLUMNS]], %[[BYTES]], %[[RUNS]], %[[SET]])
func.func @searched(%A: tensor<?x?xf32, #CSR>) -> !astfe.profile<?x?> {
  %h = astfe.profile of %A order = "rows" hubs = auto min = 4
    search = <columns = 32, element_bytes = 4, runs = 100, whole = true>
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  return %h : !astfe.profile<?x?>
}

// Samples on a GPU, whose order is given: 2 + 4 + 8.
// CHECK-LABEL: func.func @searched_samples(
// CHECK:         arith.constant 14 : i64
// CHECK:         call @astfe_rt_searched_profile_levels(
func.func @searched_samples(%A: tensor<?x?xf32, #COO>) -> !astfe.profile<?x?> {
  %h = astfe.profile of %A order = "hilbert" min = 4
    search = <columns = 32, element_bytes = 4, runs = 100, orders = false,
              samples = true, gpu = true>
    : tensor<?x?xf32, #COO> -> !astfe.profile<?x?>
  return %h : !astfe.profile<?x?>
}

// Reorderings and hubs go to a function of their own: 1 is labels, -1 auto.
// CHECK-LABEL: func.func @reordered(
// CHECK:         arith.constant 4 : i64
// CHECK-NEXT:    %[[LABELS:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[AUTO:.*]] = arith.constant -1 : i64
// CHECK:         call @astfe_rt_reordered_profile_p32c64(%{{.*}}, %[[LABELS]], %[[AUTO]])
func.func @reordered(%A: tensor<?x?xf32, #CSR>) -> !astfe.profile<?x?> {
  %h = astfe.profile of %A order = "rows" reorder = "labels" hubs = auto min = 4
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  return %h : !astfe.profile<?x?>
}

// A graph that goes around a loop carries one reference with it.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[START:[^:]*]]: !llvm.ptr, %[[H:[^:]*]]: !llvm.ptr
// CHECK:         call @astfe_rt_retain(%[[START]])
// CHECK:         %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[G:.*]] = %[[START]]) -> (!llvm.ptr) {
// CHECK:           %[[NEXT:.*]] = func.call @astfe_rt_refine(%[[G]], %[[H]],
// CHECK:           func.call @astfe_rt_release(%[[G]])
// CHECK-NOT:       @astfe_rt
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         return %[[LAST]]
func.func @loop(%g: !astfe.graph<?x?>, %h: !astfe.profile<?x?>, %n: index)
    -> !astfe.graph<?x?> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = scf.for %i = %zero to %n step %one iter_args(%now = %g)
      -> (!astfe.graph<?x?>) {
    %next = astfe.refine %now by %h steps = 1
      : !astfe.graph<?x?>, !astfe.profile<?x?>
    scf.yield %next : !astfe.graph<?x?>
  }
  return %last : !astfe.graph<?x?>
}

// What the caller lends and gets back is retained for it; what a call returns
// belongs to the caller, used or not.
// CHECK-LABEL: func.func @pass(
// CHECK-SAME:    %[[G:[^:]*]]: !llvm.ptr
// CHECK:         call @astfe_rt_retain(%[[G]])
// CHECK:         return %[[G]]
func.func @pass(%g: !astfe.graph<?x?>) -> !astfe.graph<?x?> {
  return %g : !astfe.graph<?x?>
}
// CHECK-LABEL: func.func @drop(
// CHECK:         %[[R:.*]] = call @pass
// CHECK-NEXT:    call @astfe_rt_release(%[[R]])
func.func @drop(%g: !astfe.graph<?x?>) {
  %r = func.call @pass(%g) : (!astfe.graph<?x?>) -> !astfe.graph<?x?>
  return
}

// What goes into a loop and is used in it too lives until the loop has ended.
// CHECK-LABEL: func.func @loop_and_body(
// CHECK:         %[[G:.*]] = call @astfe_rt_partition
// CHECK:         call @astfe_rt_retain(%[[G]])
// CHECK:         scf.for {{.*}} iter_args(%[[NOW:.*]] = %[[G]])
// CHECK:           func.call @astfe_rt_release(%[[NOW]])
// CHECK:           %[[NEXT:.*]] = func.call @astfe_rt_refine(%[[G]],
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         call @astfe_rt_release(%[[G]])
// CHECK:         return
func.func @loop_and_body(%h: !astfe.profile<?x?>, %n: index)
    -> !astfe.graph<?x?> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %last = scf.for %i = %zero to %n step %one iter_args(%now = %g)
      -> (!astfe.graph<?x?>) {
    %next = astfe.refine %g by %h : !astfe.graph<?x?>, !astfe.profile<?x?>
    scf.yield %next : !astfe.graph<?x?>
  }
  return %last : !astfe.graph<?x?>
}

// Both branches give one reference: a new graph its own, a borrowed one a copy.
// CHECK-LABEL: func.func @choose(
// CHECK-SAME:    %[[G:[^:]*]]: !llvm.ptr
// CHECK:         %[[R:.*]] = scf.if
// CHECK:           func.call @astfe_rt_retain(%[[G]])
// CHECK:           scf.yield %[[G]]
// CHECK:           %[[NEW:.*]] = func.call @astfe_rt_partition
// CHECK-NOT:       @astfe_rt
// CHECK:           scf.yield %[[NEW]]
// CHECK:         return %[[R]]
func.func @choose(%g: !astfe.graph<?x?>, %h: !astfe.profile<?x?>, %c: i1)
    -> !astfe.graph<?x?> {
  %r = scf.if %c -> (!astfe.graph<?x?>) {
    scf.yield %g : !astfe.graph<?x?>
  } else {
    %new = astfe.partition %h leaf = 64
      : !astfe.profile<?x?> -> !astfe.graph<?x?>
    scf.yield %new : !astfe.graph<?x?>
  }
  return %r : !astfe.graph<?x?>
}

// A selected graph is a reference of its own: both sources may end before it.
// CHECK-LABEL: func.func @selected(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: i1, %[[F:[a-z0-9]+]]: !llvm.ptr, %[[H:[a-z0-9]+]]: !llvm.ptr
// CHECK:         %[[G:.*]] = call @astfe_rt_refine(%[[F]], %[[H]]
// CHECK:         %[[S:.*]] = scf.if %[[C]] -> (!llvm.ptr) {
// CHECK:           call @astfe_rt_retain(%[[F]])
// CHECK:           scf.yield %[[F]]
// CHECK:         } else {
// CHECK:           call @astfe_rt_retain(%[[G]])
// CHECK:           scf.yield %[[G]]
// CHECK:         }
// CHECK:         call @astfe_rt_release(%[[G]])
// CHECK:         return %[[S]]
func.func @selected(%c: i1, %g: !astfe.graph<?x?>, %h: !astfe.profile<?x?>)
    -> !astfe.graph<?x?> {
  %r = astfe.refine %g by %h : !astfe.graph<?x?>, !astfe.profile<?x?>
  %s = arith.select %c, %g, %r : !astfe.graph<?x?>
  return %s : !astfe.graph<?x?>
}

// Packed unless it is stored: 8 columns of 4 bytes. Views have no handle.
// CHECK-LABEL: func.func @unless_stored(
// CHECK:         %[[COLUMNS:.*]] = arith.constant 8 : i64
// CHECK:         %[[BYTES:.*]] = arith.constant 4 : i64
// CHECK:         %[[P:.*]] = call @astfe_rt_pack_unless_stored_p32c64({{.*}}, %[[COLUMNS]], %[[BYTES]])
// CHECK:         %[[S:.*]] = call @astfe_rt_is_stored(%[[P]])
// CHECK:         %[[STORED:.*]] = arith.cmpi ne, %[[S]], %{{.*}} : i64
// CHECK:         %[[NO:.*]] = arith.constant false
// CHECK:         return %[[STORED]], %[[NO]]
func.func @unless_stored(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> (i1, i1) {
  %P = astfe.pack %A by %g unless_stored = <columns = 8, element_bytes = 4>
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #L>
  %s = astfe.is_stored %P : !astfe.blocked<?x?, #L>
  %V = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %t = astfe.is_stored %V : !astfe.blocked<?x?, #astfe.layout<view>>
  return %s, %t : i1, i1
}
