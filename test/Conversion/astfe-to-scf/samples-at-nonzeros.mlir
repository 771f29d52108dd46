// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// Samples that go where their nonzeros are: side by side where slots are in that
// order, else each by a table, of 32 bits or of 64.

#n = affine_map<(n, i, j, k) -> (n)>
#x = affine_map<(n, i, j, k) -> (i, k)>
#y = affine_map<(n, i, j, k) -> (j, k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments]>
!P = !astfe.blocked<?x?, #L>

// CHECK-LABEL: func.func @moved
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr
// CHECK:         %[[NARROW:.*]] = func.call @astfe_rt_table_i32(%[[P]], %c25_i64)
// CHECK:         %[[WIDE:.*]] = func.call @astfe_rt_table_i64(%[[P]], %c26_i64)
// CHECK:         %[[ORDER:.*]] = func.call @astfe_rt_in_order(%[[P]], %{{.*}})
// CHECK:         %[[MOVED:.*]] = arith.cmpi eq, %[[ORDER]], %c0_i64
// CHECK:         %[[COUNT:.*]] = memref.dim %[[WIDE]], %c0
// CHECK:         %[[ISWIDE:.*]] = arith.cmpi ne, %[[COUNT]], %c0
// CHECK:         scf.parallel
// CHECK:           scf.for %[[N:.*]] = %{{.*}} to %{{.*}} step %c4
// CHECK:             %[[S:.*]] = arith.mulf {{.*}} : vector<4xf32>
// CHECK:             scf.if %[[MOVED]] {
// CHECK:               %[[T:.*]]:4 = scf.if %[[ISWIDE]]
// CHECK:                 memref.load %[[WIDE]][%[[N]]] : memref<?xi64>
// CHECK:               } else {
// CHECK:                 memref.load %[[NARROW]][%[[N]]] : memref<?xi32>
// CHECK:               %[[S0:.*]] = vector.extract %[[S]][0]
// CHECK:               memref.store %[[S0]], %[[O:.*]][%[[T]]#0]
// CHECK:               memref.store %{{.*}}, %[[O]][%[[T]]#3]
// CHECK:             } else {
// CHECK:               vector.store %[[S]], %[[O]][%[[N]]]
func.func @moved(%P: !P, %X: tensor<?x32xf32>, %Y: tensor<?x32xf32>,
                 %v: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !P maps [#n, #x, #y, #n]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x32xf32>, tensor<?x32xf32>)
      outs(%s : tensor<?xf32>) overwrite attributes {astfe.at_nonzeros} {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.mulf %m, %a : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// So does the loop over one point after the other.

#two = affine_map<(n, i, j, k, l) -> (n)>
#xkl = affine_map<(n, i, j, k, l) -> (i, k, l)>
#ykl = affine_map<(n, i, j, k, l) -> (j, k, l)>

// CHECK-LABEL: func.func @scalars
// CHECK:         scf.for
// CHECK:           %[[T:.*]] = scf.if %{{.*}} -> (index) {
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[T]]]
func.func @scalars(%P: !P, %X: tensor<?x4x5xf32>, %Y: tensor<?x4x5xf32>,
                   %v: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !P maps [#two, #xkl, #ykl, #two]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x4x5xf32>, tensor<?x4x5xf32>)
      outs(%s : tensor<?xf32>) overwrite attributes {astfe.at_nonzeros} {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.mulf %m, %a : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
