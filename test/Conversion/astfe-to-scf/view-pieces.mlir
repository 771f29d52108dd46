// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=64 --canonicalize --cse | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf=serial=true --canonicalize --cse | FileCheck %s --check-prefix=SERIAL

// A vector over a matrix by columns: two pieces with sums of their own where there are
// four nonzeros for each element of y, four for 16 and eight for 64, as long as sums are
// near; two may be far. These are combined in order. In turn nonzeros go to y one by one,
// and nothing is allocated.

#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK-LABEL: func.func @columns(
// CHECK:         %[[FOUR:.*]] = arith.muli %[[ROWS:.*]], %c4 : index
// CHECK:         %[[MEAN:.*]] = arith.cmpi ule, %[[FOUR]], %{{.*}} : index
// CHECK:         %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %c4096
// CHECK:         %[[ENOUGH:.*]] = arith.andi %[[MEAN]], %[[LONG]]
// CHECK:         arith.select %[[ENOUGH]], %c2, %c1
// CHECK:         arith.muli %[[ROWS]], %c16 : index
// CHECK:         %[[NEAR:.*]] = arith.cmpi ule, %[[FOUR]], %c2097152
// CHECK:         %[[MORE:.*]] = arith.andi %{{.*}}, %[[NEAR]] : i1
// CHECK:         arith.select %[[MORE]], %c4, %{{.*}} : index
// CHECK:         arith.muli %[[ROWS]], %c64 : index
// CHECK:         %[[ALL:.*]] = arith.muli %[[ROWS]], %c8 : index
// CHECK:         %[[NEAR8:.*]] = arith.cmpi ule, %[[ALL]], %c2097152
// CHECK:         %[[MOST:.*]] = arith.andi %{{.*}}, %[[NEAR8]] : i1
// CHECK:         %[[PIECES:.*]] = arith.select %[[MOST]], %c8, %{{.*}}
// CHECK:         arith.cmpi ugt, %[[PIECES]], %c1
// CHECK:         scf.if
// CHECK:           %[[SUMS:.*]] = memref.alloc(%[[PIECES]], %{{.*}}) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK:           scf.parallel (%[[P:.*]]) = (%c0) to (%[[PIECES]])
// CHECK:             vector.store %{{.*}}, %[[SUMS]][%[[P]], %{{.*}}] : memref<?x?xf32>, vector<16xf32>
// x is loaded once for a column.
// CHECK:             scf.for
// CHECK:               %[[X:.*]] = tensor.extract %arg1
// CHECK:               scf.for
// CHECK:                 arith.mulf %{{.*}}, %[[X]]
// CHECK:                 memref.store %{{.*}}, %[[SUMS]][%[[P]], %{{.*}}]
// CHECK:           scf.parallel
// CHECK:             scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>)
// CHECK:               vector.load %[[SUMS]]
// CHECK:           memref.dealloc %[[SUMS]]
// CHECK:         } else {
// CHECK-NOT:       scf.parallel

// SERIAL-LABEL: func.func @columns(
// SERIAL-NOT:     memref.alloc
// SERIAL-NOT:     scf.parallel
// SERIAL:         return
func.func @columns(%A: tensor<?x?xf32, #CSC>, %x: tensor<?xf32>,
                   %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSC>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>)
      overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
