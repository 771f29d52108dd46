// RUN: %python %S/../../Tools/astfe-run/Inputs/attention.py add scale=0.125 width=32 > %t.mlir
// RUN: astfe-opt %t.mlir --astfe-to-cpu --mlir-print-ir-after=convert-astfe-to-scf -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu --mlir-print-ir-after=convert-astfe-to-scf -o /dev/null 2>&1 | FileCheck %s --check-prefix=FAST

// The computations of attention by nonzero are three passes over a row, the last
// of which is the division that the product would do nonzero by nonzero. Scores,
// exponentials and probabilities have one scratch of a run; nothing is as long as
// the nonzeros.

// CHECK-LABEL: func.func {{.*}}@attention
// CHECK:       memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x64xf32>
// CHECK-NOT:   memref.alloc
// CHECK:       scf.parallel
// CHECK:         %[[ROOM:.*]] = arith.addi %{{.*}}, %c16
// CHECK-NEXT:    memref.alloc(%[[ROOM]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NOT:     memref.alloc
// Samples, in groups and one by one; rows of K are asked for ahead.
// CHECK:         scf.for {{.*}} step %c4
// CHECK:           scf.if %[[FAR:.*]] {
// CHECK-COUNT-16:    memref.prefetch {{.*}} read, locality<3>, data : memref<?x64xf32
// CHECK:         scf.for
// CHECK:           scf.if %[[FAR]] {
// CHECK-COUNT-4:     memref.prefetch
// Scores and their maximum; the mask's values behind the row are not read.
// CHECK:         %[[MAX:.*]] = scf.for {{.*}} step %c16{{.*}} -> (vector<16xf32>)
// CHECK:           arith.mulf
// CHECK:           arith.maximumf
// CHECK:         scf.if %[[SOME:.*]] -> (vector<16xf32>)
// CHECK:           vector.create_mask
// CHECK:           vector.load {{.*}} vector<16xf32>
// CHECK:           vector.maskedload
// CHECK:           arith.select
// CHECK:           arith.maximumf %[[MAX]],
// Exponentials and their sum.
// CHECK:         scf.for {{.*}} step %c16{{.*}} -> (vector<16xf32>)
// CHECK:           arith.subf
// CHECK:           arith.addf {{.*}} vector<16xf32>
// CHECK:         scf.if %[[SOME]] -> (vector<16xf32>)
// Division.
// CHECK:         scf.for {{.*}} step %c16
// CHECK-NEXT:      vector.load
// CHECK:           arith.divf {{.*}} vector<16xf32>
// CHECK:         scf.if %[[SOME]]
// The product divides no more, and asks for rows of V.
// CHECK:         scf.for
// CHECK-NOT:     arith.divf
// CHECK:         memref.prefetch
// CHECK-NOT:     arith.divf
// CHECK:         memref.dealloc

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// A sampled product, scaled by the product that reads it: multiplying by a factor
// takes no pass of its own.

// FAST-LABEL: func.func {{.*}}@scaled
// FAST:       scf.parallel
// FAST-COUNT-1: memref.alloc
// FAST-NOT:     memref.alloc
// FAST-NOT:     step %c16
// FAST:         memref.dealloc
func.func @scaled(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x64xf32>,
                  %Y: tensor<?x64xf32>, %C: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %count = tensor.dim %v, %c0 : tensor<?xf32>
  %empty = tensor.empty(%count) : tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#nx, #ix, #jx, #nx]
      ins(%v, %X, %Y : tensor<?xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%empty : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %x: f32, %y: f32):
    %xy = arith.mulf %x, %y : f32
    %t = arith.mulf %a, %xy : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#nx, #jx, #ix]
      ins(%s, %Y : tensor<?xf32>, tensor<?x64xf32>)
      outs(%C : tensor<?x64xf32>) overwrite {
  ^bb0(%a: f32, %y: f32):
    %factor = arith.constant 0.125 : f32
    %scaled = arith.mulf %a, %factor : f32
    %t = arith.mulf %scaled, %y : f32
    astfe.yield "addf" %t : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
