// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// A packed pattern: tables from the runtime, one emitter a class, private
// partial rows for what workers share. Values and partial rows are borrowed.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf64, {{.*}}>, %[[P:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: tensor<?xf64>, %[[Y:[^:]*]]: tensor<?xf64>
// CHECK:         %[[SLOTS:.*]] = call @astfe_rt_slots(%[[P]])
// CHECK:         %[[BYTES:.*]] = call @astfe_rt_lend(%[[P]], %{{.*}}) : (!llvm.ptr, i64) -> memref<?xi8>
// CHECK:         %[[VALUES:.*]] = memref.view %[[BYTES]]
// CHECK:         call @astfe_rt_values_f64(%[[P]], %{{.*}}, %[[VALUES]])
// CHECK:         %[[FITS:.*]] = call @astfe_rt_fits(%[[P]], %c16_i64, %c3_i64)
// CHECK:         %[[OK:.*]] = arith.cmpi ne, %[[FITS]], %c0_i64
// CHECK:         scf.if %[[OK]] {
// CHECK:           scf.if
// CHECK:             %[[COLUMNS:.*]] = func.call @astfe_rt_table_i16(%[[P]], %{{.*}}) : (!llvm.ptr, i64) -> memref<?xi16>
// CHECK:             %[[LENT:.*]] = func.call @astfe_rt_lend(%[[P]], %{{.*}})
// CHECK:             %[[GOT:.*]] = memref.dim %[[LENT]], %c0
// CHECK:             %[[ENOUGH:.*]] = arith.cmpi eq, %[[GOT]]
// CHECK:             scf.if %[[ENOUGH]] {
// CHECK:             memref.view %[[LENT]]{{.*}} : memref<?xi8> to memref<?xf64>
// CHECK:             scf.parallel
// CHECK:               scf.index_switch
// CHECK-NEXT:          case 0 {
// CHECK:                 vector.from_elements {{.*}} : vector<8xf64>
// CHECK:                 vector.from_elements {{.*}} : vector<8xf64>
// CHECK:               default {
// CHECK-NOT:             vector.from_elements
// CHECK:             %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %c256
// CHECK:             scf.if %[[MANY]]
// CHECK:               scf.parallel
// CHECK:             } else {
// CHECK:               scf.for
// CHECK:             %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[LENT]]
// CHECK:             %[[NUMBER:.*]] = arith.index_cast %[[ADDRESS]]
// CHECK:             func.call @astfe_rt_take_back(%[[NUMBER]])
// CHECK:           } else {
// CHECK:             func.call @astfe_rt_report
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         call @astfe_rt_take_back(
// CHECK-NOT:     memref.alloc
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %v = astfe.values %A in %P
    : tensor<?x?xf64, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf64>, tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}
