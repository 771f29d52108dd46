// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=64 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf=wide-masks=false --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=32 --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=NARROW

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// One column where gathers are slow: if rows have eight nonzeros on average, and
// more than a quarter of those that are looked at leave a rest after vectors of
// eight, all are taken in vectors, without a question how many lanes the last
// one has. It ends with the row, whose first lanes may be of rows before; only
// where there are none, it is loaded under a mask. Else, in a loop of its own,
// and without masks of the processor, it overlaps the one before, if there is a
// rest.

// CHECK-LABEL: func.func @view(
// CHECK:         %[[LONG:.*]] = arith.cmpi uge
// CHECK:         %[[RESTS:.*]] = scf.if %[[LONG]] -> (i1)
// CHECK:           arith.remui %{{.*}}, %c8
// CHECK:           arith.cmpi ugt, %{{.*}}, %c32
// CHECK:         %[[LEAST:.*]] = arith.select %[[RESTS]], %c0, %c8 : index
// CHECK:         %[[ALL:.*]] = arith.cmpi eq, %[[LEAST]], %c0 : index
// CHECK:         scf.if %[[ALL]]
// CHECK:           scf.parallel
// CHECK:           arith.cmpi uge, %{{.*}}, %c0 : index
// CHECK:           scf.for {{.*}} step %c8
// CHECK:           %[[INSIDE:.*]] = arith.cmpi uge, %[[END:.*]], %c8 : index
// CHECK-NEXT:      scf.if %[[INSIDE]] -> (vector<8xf32>)
// CHECK-NEXT:        %[[N:.*]] = arith.subi %[[END]], %c8
// CHECK-NEXT:        %[[BEFORE:.*]] = arith.subi %{{.*}}, %[[N]]
// CHECK-NEXT:        %[[TAKEN:.*]] = vector.create_mask %[[BEFORE]] : vector<8xi1>
// CHECK-NEXT:        vector.load %{{.*}}[%[[N]]]
// CHECK-COUNT-8:     tensor.extract
// CHECK:             arith.select %[[TAKEN]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK:           } else {
// CHECK:             %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<8xi1>
// CHECK:             %[[COLUMNS:.*]] = vector.maskedload {{.*}} %[[MASK]], {{.*}} vector<8xi32>
// CHECK:             vector.maskedload {{.*}} %[[MASK]], {{.*}} vector<8xf32>
// CHECK:             vector.extract %[[COLUMNS]][0]
// CHECK-COUNT-8:     tensor.extract
// CHECK:             arith.select %[[MASK]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK:         } else {
// CHECK-NOT:       vector.maskedload
// CHECK:           scf.parallel
// CHECK-NOT:       vector.maskedload
// CHECK:           arith.cmpi uge, %{{.*}}, %c8 : index
// CHECK-NOT:       vector.maskedload
// CHECK:         return

// NARROW-LABEL: func.func @view(
// NARROW-NOT:     vector.maskedload
// NARROW:         return
func.func @view(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// Lanes without a nonzero would divide by zero.

// CHECK-LABEL: func.func @division(
// CHECK-NOT:     vector.maskedload
// CHECK:         return
func.func @division(%A: tensor<?x?xi32, #CSR>, %x: tensor<?xi32>,
                    %y: tensor<?xi32>) -> tensor<?xi32> {
  %P = astfe.pack %A
    : tensor<?x?xi32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xi32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xi32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #j, #i]
      ins(%v, %x : tensor<?xi32>, tensor<?xi32>)
      outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %p = arith.divsi %b, %a : i32
    astfe.yield "addi" %p : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}
