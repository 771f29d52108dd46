// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Columns are summed into rows: a tile's vectors are added up once a row's
// nonzeros are, and no array has all sums. Of 25 columns the second vector
// overlaps the first, whose lanes it leaves out.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#i = affine_map<(n, i, j, k) -> (i)>

// CHECK-LABEL: func.func @known(
// CHECK-DAG:     %[[OWN:.*]] = arith.constant dense<[false, false, false, false, false, false, false, true, true,
// CHECK-NOT:     memref.alloc
// CHECK:         %[[SUMS:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK:         %[[REST:.*]] = arith.select %[[OWN]], %[[SUMS]]#1
// CHECK:         arith.addf %[[SUMS]]#0, %[[REST]]
// CHECK:         %[[TOTAL:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK-NEXT:    memref.store %[[TOTAL]]
func.func @known(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x25xf32>,
                 %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #i]
      ins(%v, %B : tensor<?xf32>, tensor<?x25xf32>)
      outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Of any number of columns: a row without any is cleared, its first tile is
// stored, and others are added.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#i = affine_map<(n, i, j, k) -> (i)>

// CHECK-LABEL: func.func @any(
// CHECK:         %[[NONE:.*]] = arith.cmpi eq, %{{.*}}, %c0 : index
// CHECK-NEXT:    scf.if %[[NONE]] {
// CHECK-NEXT:      memref.store %cst{{.*}}, %[[Y:.*]][%[[ROW:.*]]]
// CHECK-NEXT:    }
// CHECK:         scf.for %[[PIECE:.*]] = %{{.*}} to %{{.*}} step %c64
// CHECK:           %[[BEGINS:.*]] = arith.cmpi eq, %[[PIECE]], %{{.*}} : index
// CHECK:           scf.for %[[K:.*]] = %c0
// CHECK:             %[[FIRST:.*]] = arith.andi %{{.*}}, %[[BEGINS]] : i1
// CHECK:             %[[SUM:.*]] = vector.extract
// CHECK:             scf.if %[[FIRST]]
// CHECK-NEXT:          scf.yield %[[SUM]]
// CHECK:               memref.load %[[Y]][%[[ROW]]]
func.func @any(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
               %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #i]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
