// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s

// Packed samples wait for the row of X that a segment names: where X is larger
// than four times the second cache, that of the eighth segment ahead is asked for,
// unless rows come one after the other, as a processor sees by itself. Rows of more
// than 16 lines are not asked for.

#n = affine_map<(n, i, j, k) -> (n)>
#x = affine_map<(n, i, j, k) -> (i, k)>
#y = affine_map<(n, i, j, k) -> (j, k)>
#L = #astfe.layout<packed, columns = 32, classes = [row_segments]>
!P = !astfe.blocked<?x?, #L>

// CHECK-LABEL: func.func @lines
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x32xf32>
// CHECK:         %[[BUFFER:.*]] = bufferization.to_buffer %[[X]]
// CHECK:         arith.cmpi ugt, %{{.*}}, %c16777216
// CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %c128
// CHECK-NEXT:    %[[FAR:.*]] = arith.cmpi ugt, %[[BYTES]], %c4194304
// CHECK:         scf.parallel
// CHECK:           scf.for %[[G:.*]] = %{{.*}} to %[[END:.*]] step %c1{{.*}} iter_args
// CHECK:             scf.if %[[FAR]] {
// CHECK:               %[[LAST:.*]] = arith.subi %[[END]], %c1
// CHECK:               %[[LATER:.*]] = arith.addi %[[G]], %c8
// CHECK:               arith.minui %[[LATER]], %[[LAST]]
// CHECK:               %[[APART:.*]] = arith.cmpi ne
// CHECK:               scf.if %[[APART]] {
// CHECK-COUNT-2:         memref.prefetch %[[BUFFER]][{{.*}}], read, locality<3>, data
// CHECK-NOT:             memref.prefetch
// CHECK:               }
func.func @lines(%P: !P, %X: tensor<?x32xf32>, %Y: tensor<?x32xf32>,
                 %v: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !P maps [#n, #x, #y, #n]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x32xf32>, tensor<?x32xf32>)
      outs(%s : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.mulf %m, %a : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @long_rows
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @long_rows(%P: !P, %X: tensor<?x512xf32>, %Y: tensor<?x512xf32>,
                     %v: tensor<?xf32>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !P maps [#n, #x, #y, #n]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x512xf32>, tensor<?x512xf32>)
      outs(%s : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.mulf %m, %a : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
