// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s

// Tensors of other ranks than two, and matrices in other formats than CSR and CSC, go
// to the runtime as a list of levels, whose numbers are addresses too; one call serves
// all formats and widths.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : dense, i : compressed, j : compressed),
  posWidth = 16, crdWidth = 8
}>
#COO = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique),
                      k : singleton)
}>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>

// CHECK-LABEL: func.func @csf(
// CHECK-SAME:    %[[T:[^:]*]]: tensor<?x?x?xf64,
// CHECK:         %[[L:.*]] = memref.alloc() : memref<36xi64>
// CHECK:         %[[E:.*]] = memref.alloc() : memref<3xi64>
// CHECK:         %[[POS:.*]] = sparse_tensor.positions %[[T]] {level = 1 : index} : {{.*}} to memref<?xi16>
// CHECK:         memref.extract_strided_metadata %[[POS]]
// CHECK:         memref.extract_aligned_pointer_as_index %[[POS]]
// CHECK:         sparse_tensor.coordinates %[[T]] {level = 1 : index} : {{.*}} to memref<?xi8>
// CHECK:         call @astfe_rt_profile_levels(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (memref<?xi64>, memref<?xi64>, i64, i64, i64) -> !llvm.ptr
// CHECK:         memref.dealloc %[[L]]
// CHECK:         memref.dealloc %[[E]]
// CHECK:         %[[G:.*]] = call @astfe_rt_partition
// CHECK:         %[[P:.*]] = call @astfe_rt_pack_levels(%{{.*}}, %{{.*}}, %[[G]])
// CHECK:         call @astfe_rt_slots(%[[P]])
// CHECK:         %[[KEY:.*]] = arith.constant 2 : i64
// CHECK:         call @astfe_rt_brick_values_f64(%[[P]], %[[KEY]],
// CHECK:         %[[TO:.*]] = arith.constant 1 : i64
// CHECK:         call @astfe_rt_brick_unpack_f64(%[[P]], %[[TO]],
func.func @csf(%T: tensor<?x?x?xf64, #CSF>)
    -> (tensor<?xf64>, tensor<?x?x?xf64, #CSF>) {
  %h = astfe.profile of %T order = "hilbert" min = 256
    : tensor<?x?x?xf64, #CSF> -> !astfe.profile<?x?x?>
  %g = astfe.partition %h leaf = 4096
    : !astfe.profile<?x?x?> -> !astfe.graph<?x?x?>
  %P = astfe.pack %T by %g : tensor<?x?x?xf64, #CSF>, !astfe.graph<?x?x?>
    -> !astfe.blocked<?x?x?, #pack>
  %v = astfe.values %T in %P key = 2
    : tensor<?x?x?xf64, #CSF>, !astfe.blocked<?x?x?, #pack> -> tensor<?xf64>
  %U = astfe.unpack %v in %P like %T key = 1 : tensor<?xf64>,
    !astfe.blocked<?x?x?, #pack>, tensor<?x?x?xf64, #CSF>
  return %v, %U : tensor<?xf64>, tensor<?x?x?xf64, #CSF>
}

// Coordinates side by side have a stride, and an offset, which addresses count
// in bytes.
// CHECK-LABEL: func.func @coo(
// CHECK:         %[[AT:.*]] = sparse_tensor.coordinates %{{.*}} {level = 1 : index} : {{.*}} to memref<?xindex, strided<[?], offset: ?>>
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[AT]]
// CHECK:         %[[FIRST:.*]] = memref.extract_aligned_pointer_as_index %[[AT]]
// CHECK:         %[[BYTES:.*]] = arith.constant 8 : index
// CHECK:         %[[BEHIND:.*]] = arith.muli %[[OFFSET]], %[[BYTES]] : index
// CHECK:         arith.addi %[[FIRST]], %[[BEHIND]] : index
// CHECK:         arith.index_cast %[[STRIDE]] : index to i64
// CHECK:         call @astfe_rt_profile_levels
func.func @coo(%T: tensor<9x8x7xf32, #COO>) -> !astfe.profile<9x8x7> {
  %h = astfe.profile of %T order = "hilbert" min = 256
    : tensor<9x8x7xf32, #COO> -> !astfe.profile<9x8x7>
  return %h : !astfe.profile<9x8x7>
}

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>

// The levels of blocks count more than one in their modes; and a matrix is packed
// into a layout, by all hands.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[T:[^:]*]]: tensor<?x9xf32,
// CHECK:         memref.alloc() : memref<48xi64>
// CHECK:         %[[DIM:.*]] = tensor.dim %[[T]], %{{.*}}
// CHECK:         %[[ROWS:.*]] = arith.index_cast %[[DIM]] : index to i64
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i64
// CHECK:         %[[BLOCKS:.*]] = arith.divui %[[ROWS]], %[[TWO]] : i64
// CHECK:         memref.store %[[BLOCKS]]
// CHECK:         sparse_tensor.positions %[[T]] {level = 1 : index}
// CHECK:         call @astfe_rt_reordered_profile_levels(
// CHECK:         call @astfe_rt_pack_matrix(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (memref<?xi64>, memref<?xi64>, !llvm.ptr, memref<?xi8>, i64, i64) -> !llvm.ptr
// CHECK:         call @astfe_rt_values_f32(
func.func @blocks(%T: tensor<?x9xf32, #BSR>) -> tensor<?xf32> {
  %h = astfe.profile of %T order = "rows" reorder = "labels" min = 256
    : tensor<?x9xf32, #BSR> -> !astfe.profile<?x9>
  %g = astfe.partition %h leaf = 4096 : !astfe.profile<?x9> -> !astfe.graph<?x9>
  %P = astfe.pack %T by %g : tensor<?x9xf32, #BSR>, !astfe.graph<?x9>
    -> !astfe.blocked<?x9, #pack>
  %v = astfe.values %T in %P
    : tensor<?x9xf32, #BSR>, !astfe.blocked<?x9, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (j, i) -> (i : dense, j : compressed)}>

// A transpose has the buffers of the matrix, and is no tensor.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4x?xf32,
// CHECK-NOT:     reinterpret_map
// CHECK:         sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK:         tensor.dim %[[A]], %{{.*}}
// CHECK:         call @astfe_rt_profile_p64c64(
// CHECK:         sparse_tensor.values %[[A]]
// CHECK-NOT:     reinterpret_map
// CHECK:         return
func.func @transpose(%A: tensor<4x?xf32, #CSR>) -> tensor<?xf32> {
  %T = sparse_tensor.reinterpret_map %A
    : tensor<4x?xf32, #CSR> to tensor<?x4xf32, #CSC>
  %h = astfe.profile of %T order = "rows" min = 256
    : tensor<?x4xf32, #CSC> -> !astfe.profile<?x4>
  %g = astfe.partition %h leaf = 4096 : !astfe.profile<?x4> -> !astfe.graph<?x4>
  %P = astfe.pack %T by %g : tensor<?x4xf32, #CSC>, !astfe.graph<?x4>
    -> !astfe.blocked<?x4, #pack>
  %v = astfe.values %T in %P
    : tensor<?x4xf32, #CSC>, !astfe.blocked<?x4, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
