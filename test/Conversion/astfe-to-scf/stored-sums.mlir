// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf=wide-masks=false --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=NARROW

// Rows of which nothing is read by columns: no coordinate is loaded. A long row
// has four sums of vectors; what is left of it, and a short row, are taken
// under a mask. Without masks a row that fills a vector ends with one that
// overlaps, and one that does not has vectors of a quarter, or pairs.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @view(
// CHECK-NOT:     sparse_tensor.coordinates
// CHECK:         scf.parallel
// CHECK:         %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %c64 : index
// CHECK:         %[[START:.*]]:2 = scf.if %[[LONG]]
// CHECK:           %[[SUMS:.*]]:4 = scf.for {{.*}} step %c64
// CHECK-COUNT-4:     vector.load {{.*}}, vector<16xf32>
// CHECK:           arith.addf %[[SUMS]]#0, %[[SUMS]]#1
// CHECK:           arith.addf %[[SUMS]]#2, %[[SUMS]]#3
// CHECK:         scf.for {{.*}} = %[[START]]#0 to {{.*}} step %c16
// CHECK:           %[[MASK:.*]] = vector.create_mask
// CHECK:           vector.maskedload {{.*}}, %[[MASK]]
// CHECK:           arith.select %[[MASK]]
// CHECK:         return

// NARROW-LABEL: func.func @view(
// NARROW-NOT:     vector.maskedload
// NARROW:         %[[FILLS:.*]] = arith.cmpi uge, %[[LENGTH:.*]], %c16 : index
// NARROW:         scf.if %[[FILLS]]
// NARROW:           scf.for {{.*}} step %c64
// NARROW:           scf.for {{.*}} step %c16
// NARROW:           arith.subi %{{.*}}, %c16
// NARROW:         } else {
// NARROW:           arith.cmpi uge, %[[LENGTH]], %c4 : index
// NARROW:           scf.for {{.*}} step %c4
// NARROW:           scf.for {{.*}} step %c2
// NARROW-COUNT-2:     memref.load
// NARROW-NOT:     vector.maskedload
// NARROW:         return
func.func @view(%A: tensor<?x?xf32, #CSR>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A vector has 64 bytes, 16 under a mask; their sum is an instruction's.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @bytes(
// CHECK-COUNT-4: vector.load {{.*}} vector<64xi8>
// CHECK:         vector.maskedload {{.*}} vector<16xi8>
// CHECK:         vector.reduction <add>, %{{.*}} : vector<16xi8> into i8
func.func @bytes(%A: tensor<?x?xi8, #CSR>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %P = astfe.pack %A
    : tensor<?x?xi8, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xi8, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xi8>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #i]
      ins(%v : tensor<?xi8>) outs(%y : tensor<?xi8>) {
  ^bb0(%a: i8):
    astfe.yield "addi" %a : i8
  } -> tensor<?xi8>
  return %r : tensor<?xi8>
}

// -----

// Rows that are scaled: slices of packed rows load no columns either.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#slices = #astfe.layout<packed, columns = 8, classes = [scattered, row_slices]>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @slices(
// CHECK-NOT:     vector<16xi8>
// CHECK:         return
func.func @slices(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #slices>,
                  %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #slices> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #slices>
      maps [#n, #i, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The slots of a tensor's row, likewise.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#i = affine_map<(n, i, j, k) -> (i)>

// CHECK-LABEL: func.func @bricks(
// CHECK:         scf.for {{.*}} step %c64
// CHECK-COUNT-4:   vector.load {{.*}} vector<16xf32>
// CHECK:         vector.maskedload {{.*}} vector<16xf32>
func.func @bricks(%A: tensor<?x?x?xf32, #CSF>,
                  %P: !astfe.blocked<?x?x?, #pack>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %v = astfe.values %A in %P key = 0
    : tensor<?x?x?xf32, #CSF>, !astfe.blocked<?x?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?x?, #pack>
      maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
