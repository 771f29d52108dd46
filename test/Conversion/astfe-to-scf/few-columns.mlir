// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Half a vector of columns and fewer: of the output nothing is read or written
// under a mask.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @four(
// CHECK-NOT:     vector.create_mask
// CHECK:         vector.load %{{.*}} : memref<?x4xf32>, vector<4xf32>
// CHECK:         vector.store %{{.*}} : memref<?x4xf32>, vector<4xf32>
// CHECK-NOT:     vector.maskedstore
// CHECK:         return
func.func @four(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x4xf32>,
    %C: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x4xf32>)
      outs(%C : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @one(
// CHECK-NOT:     mask
// CHECK:         vector.store %{{.*}} : memref<?x1xf32>, vector<1xf32>
// CHECK-NOT:     mask
// CHECK:         return
func.func @one(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x1xf32>,
    %C: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x1xf32>)
      outs(%C : tensor<?x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// Seven columns are one vector, of which the operand is read under a mask. Of
// the output lanes 0 to 3 and 3 to 6 are read and written: no mask, from under
// which the next row would be read. All is read before anything is written.

// CHECK-LABEL: func.func @seven(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<?x7xf32>, %[[C:[^:]*]]: tensor<?x7xf32>)
// CHECK-DAG:     %[[MASK:.*]] = vector.constant_mask [7] : vector<8xi1>
// CHECK-DAG:     %[[IN:.*]] = bufferization.to_buffer %[[B]] read_only
// CHECK-DAG:     %[[TO:.*]] = bufferization.to_buffer %[[C]] :
// CHECK-DAG:     %[[OUT:.*]] = memref.assume_alignment %[[TO]], 4
// CHECK:         vector.maskedload %[[IN]]
// CHECK-NOT:     vector.maskedload %[[OUT]]
// CHECK:         %[[LOW:.*]] = vector.extract_strided_slice %[[SUM:.*]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK:         vector.load %[[OUT]][%{{.*}}, %c0{{.*}}] : memref<?x7xf32>, vector<4xf32>
// CHECK:         arith.addf %{{.*}}, %[[LOW]]
// CHECK:         %[[HIGH:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [3], sizes = [4], strides = [1]}
// CHECK:         vector.load %[[OUT]][%{{.*}}, %c3{{.*}}] : memref<?x7xf32>, vector<4xf32>
// CHECK:         arith.addf %{{.*}}, %[[HIGH]]
// CHECK:         vector.store %{{.*}}, %[[OUT]][%{{.*}}, %c0{{.*}}] : memref<?x7xf32>, vector<4xf32>
// CHECK:         vector.store %{{.*}}, %[[OUT]][%{{.*}}, %c3{{.*}}] : memref<?x7xf32>, vector<4xf32>
// CHECK-NOT:     vector.maskedstore
// CHECK:         return
func.func @seven(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x7xf32>,
    %C: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x7xf32>)
      outs(%C : tensor<?x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// Six are lanes 0 to 3 and 4 and 5: nothing overlaps.

// CHECK-LABEL: func.func @six(
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c0{{.*}}] : memref<?x6xf32>, vector<4xf32>
// CHECK:         vector.store %{{.*}}[%{{.*}}, %c4{{.*}}] : memref<?x6xf32>, vector<2xf32>
// CHECK-NOT:     vector.maskedstore
// CHECK:         return
func.func @six(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x6xf32>,
    %C: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x6xf32>)
      outs(%C : tensor<?x6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}
