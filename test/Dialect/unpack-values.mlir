// RUN: astfe-opt %s --verify-roundtrip | FileCheck %s --check-prefix=PRINTED
// RUN: astfe-opt %s --canonicalize | FileCheck %s

// Of a tensor of which values are read no positions and coordinates are copied.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#CSF = #sparse_tensor.encoding<{map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)}>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments]>
!A = tensor<?x?xf32, #CSR>
!T = tensor<?x?x?xf32, #CSF>
!P = !astfe.blocked<?x?, #pack>
!Q = !astfe.blocked<?x?x?, #pack>
!V = !astfe.blocked<?x?, #astfe.layout<view>>

// PRINTED-LABEL: @by_key
// PRINTED:         astfe.unpack_values %{{.*}} in %{{.*}} key = 2 : tensor<?xf32>, !astfe.blocked<?x?x?, #pack> -> tensor<?xf32>
func.func @by_key(%v: tensor<?xf32>, %Q: !Q) -> tensor<?xf32> {
  %w = astfe.unpack_values %v in %Q key = 2 : tensor<?xf32>, !Q -> tensor<?xf32>
  return %w : tensor<?xf32>
}

// CHECK-LABEL: @values
// CHECK-SAME:    %{{.*}}: tensor<?x?xf32, #{{.*}}>, %[[V:.*]]: tensor<?xf32>, %[[P:.*]]: !astfe
// CHECK-NEXT:    %[[W:.*]] = astfe.unpack_values %[[V]] in %[[P]]
// CHECK-NEXT:    return %[[W]]
func.func @values(%A: !A, %v: tensor<?xf32>, %P: !P) -> tensor<?xf32> {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// CHECK-LABEL: @values_of_a_tensor
// CHECK-NEXT:    astfe.unpack_values %{{.*}} in %{{.*}} key = 1
func.func @values_of_a_tensor(%T: !T, %v: tensor<?xf32>, %Q: !Q)
    -> tensor<?xf32> {
  %S = astfe.unpack %v in %Q like %T key = 1 : tensor<?xf32>, !Q, !T
  %b = sparse_tensor.values %S : !T to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// A buffer that others see is one.
// CHECK-LABEL: @buffer
// CHECK:         %[[W:.*]] = astfe.unpack_values
// CHECK-NEXT:    %[[B:.*]] = bufferization.to_buffer %[[W]]
// CHECK-NEXT:    return %[[B]]
func.func @buffer(%A: !A, %v: tensor<?xf32>, %P: !P) -> memref<?xf32> {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  return %b : memref<?xf32>
}

// Sizes are those of the tensor.
// CHECK-LABEL: @sizes
// CHECK-SAME:    %[[A:[a-zA-Z0-9]+]]: tensor
// CHECK-NOT:     astfe.unpack
// CHECK:         tensor.dim %[[A]]
// CHECK:         sparse_tensor.number_of_entries %[[A]]
func.func @sizes(%A: !A, %v: tensor<?xf32>, %P: !P) -> (index, index) {
  %z = arith.constant 0 : index
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %d = tensor.dim %S, %z : !A
  %n = sparse_tensor.number_of_entries %S : !A
  return %d, %n : index, index
}

// Where packing failed there are no values, and whoever counts them knows.
// CHECK-LABEL: @counted
// CHECK:         %[[W:.*]] = astfe.unpack_values
// CHECK:         %[[N:.*]] = tensor.dim %[[W]]
// CHECK:         return %[[W]], %[[N]]
func.func @counted(%A: !A, %v: tensor<?xf32>, %P: !P) -> (tensor<?xf32>, index) {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  %n = sparse_tensor.number_of_entries %S : !A
  return %t, %n : tensor<?xf32>, index
}

// Another name has the same values.
// CHECK-LABEL: @renamed
// CHECK-NEXT:    %[[W:.*]] = astfe.unpack_values
// CHECK-NEXT:    return %[[W]]
func.func @renamed(%A: !A, %v: tensor<?xf32>, %P: !P) -> tensor<?xf32> {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %T = sparse_tensor.reinterpret_map %S : !A to tensor<?x?xf32, #CSC>
  %b = sparse_tensor.values %T : tensor<?x?xf32, #CSC> to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// Who writes values writes the tensor's, which others read.
// CHECK-LABEL: @written
// CHECK:         astfe.unpack %
// CHECK:         memref.store
// CHECK:         bufferization.to_tensor
func.func @written(%A: !A, %v: tensor<?xf32>, %P: !P, %x: f32) -> tensor<?xf32> {
  %z = arith.constant 0 : index
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  memref.store %x, %b[%z] : memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// CHECK-LABEL: @written_view
// CHECK:         %[[S:.*]] = astfe.unpack %
// CHECK:         %[[B:.*]] = sparse_tensor.values %[[S]]
// CHECK:         memref.store %{{.*}}, %[[B]]
// CHECK:         return %[[S]]
func.func @written_view(%A: !A, %v: tensor<?xf32>, %P: !V, %x: f32) -> !A {
  %z = arith.constant 0 : index
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !V, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  memref.store %x, %b[%z] : memref<?xf32>
  return %S : !A
}

// The values of a view are in order.
// CHECK-LABEL: @view
// CHECK-SAME:    %{{.*}}, %[[V:.*]]: tensor<?xf32>,
// CHECK-NEXT:    return %[[V]]
func.func @view(%A: !A, %v: tensor<?xf32>, %P: !V) -> tensor<?xf32> {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !V, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// Nothing where the tensor itself is needed: values would be moved twice.
// CHECK-LABEL: @tensor
// CHECK:         %[[S:.*]] = astfe.unpack
// CHECK:         sparse_tensor.values %[[S]]
func.func @tensor(%A: !A, %v: tensor<?xf32>, %P: !P) -> (!A, memref<?xf32>) {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  %b = sparse_tensor.values %S : !A to memref<?xf32>
  return %S, %b : !A, memref<?xf32>
}

// Nor where the tensor with the sizes is gone.
// CHECK-LABEL: @released
// CHECK-SAME:    %[[A:[a-zA-Z0-9]+]]: tensor
// CHECK:         %[[S:.*]] = astfe.unpack
// CHECK:         sparse_tensor.number_of_entries %[[S]]
func.func @released(%A: !A, %v: tensor<?xf32>, %P: !P) -> index {
  %S = astfe.unpack %v in %P like %A : tensor<?xf32>, !P, !A
  bufferization.dealloc_tensor %A : !A
  %n = sparse_tensor.number_of_entries %S : !A
  return %n : index
}
