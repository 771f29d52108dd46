// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// More columns than half a vector has: the last vector ends at the last column.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// Thirteen are two vectors of eight, which overlap, 28 two of sixteen.

// CHECK-LABEL: func.func @thirteen(
// CHECK-NOT:     mask
// CHECK:         %{{.*}}:4 = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c0{{.*}}] : memref<?x13xf32>, vector<8xf32>
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c5{{.*}}] : memref<?x13xf32>, vector<8xf32>
// CHECK-NOT:     mask
// CHECK:         return
func.func @thirteen(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x13xf32>,
    %C: tensor<?x13xf32>) -> tensor<?x13xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x13xf32>)
      outs(%C : tensor<?x13xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x13xf32>
  return %r : tensor<?x13xf32>
}

// CHECK-LABEL: func.func @twenty_eight(
// CHECK-NOT:     mask
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c0{{.*}}] : memref<?x28xf32>, vector<16xf32>
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c12{{.*}}] : memref<?x28xf32>, vector<16xf32>
// CHECK-NOT:     mask
// CHECK:         return
func.func @twenty_eight(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x28xf32>,
    %C: tensor<?x28xf32>) -> tensor<?x28xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x28xf32>)
      outs(%C : tensor<?x28xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x28xf32>
  return %r : tensor<?x28xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// A hundred are six vectors and four lanes. The last of 127 would be a full one
// that overlaps behind seven others: it has a mask.

// CHECK-LABEL: func.func @hundred(
// CHECK-NOT:     mask
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c80{{.*}}] : memref<?x100xf32>, vector<16xf32>
// CHECK-NEXT:    vector.store %{{.*}}[%{{.*}}, %c96{{.*}}] : memref<?x100xf32>, vector<4xf32>
// CHECK-NOT:     mask
// CHECK:         return
func.func @hundred(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x100xf32>,
    %C: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x100xf32>)
      outs(%C : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}

// CHECK-LABEL: func.func @hundred_and_27(
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c96{{.*}}] : memref<?x127xf32>, vector<16xf32>
// CHECK-NEXT:    vector.maskedstore %{{.*}}[%{{.*}}, %c112{{.*}}], %{{.*}} : memref<?x127xf32>, vector<16xi1>, vector<16xf32>
// CHECK:         return
func.func @hundred_and_27(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x127xf32>,
    %C: tensor<?x127xf32>) -> tensor<?x127xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x127xf32>)
      outs(%C : tensor<?x127xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x127xf32>
  return %r : tensor<?x127xf32>
}

// -----

// A part of the rows is taken in tiles as well: two vectors and one of eight lanes.

#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @by_columns(
// CHECK-NOT:     maskedstore
// CHECK:         scf.parallel
// CHECK:           vector.store %{{.*}}, %c0] : memref<?x40xf32{{.*}}>, vector<16xf32>
// CHECK-NEXT:      vector.store %{{.*}}, %c16] : memref<?x40xf32{{.*}}>, vector<16xf32>
// CHECK-NEXT:      vector.store %{{.*}}, %c32] : memref<?x40xf32{{.*}}>, vector<8xf32>
// CHECK-NOT:     maskedstore
// CHECK:         return
func.func @by_columns(%A: tensor<?x?xf32, #CSC>, %B: tensor<?x40xf32>,
    %C: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSC> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSC>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x40xf32>)
      outs(%C : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// A number of columns that is known at run time only has masks.

// CHECK-LABEL: func.func @unknown(
// CHECK:         vector.maskedstore
// CHECK:         return
func.func @unknown(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
    %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
