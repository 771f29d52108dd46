// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s

// Who reads only the values that were put into a viewed pattern gets these, and
// no tensor is made for them.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>

// CHECK-LABEL: func.func @values
// CHECK-SAME:    %[[V:[^:]*]]: tensor<?xf32>)
// CHECK-NEXT:    %[[B:.*]] = bufferization.to_buffer %[[V]]
// CHECK-NEXT:    return %[[B]]
func.func @values(%A: tensor<?x?xf32, #CSR>, %v: tensor<?xf32>)
    -> memref<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %U = astfe.unpack %v in %P like %A
    : tensor<?xf32>, !astfe.blocked<?x?, #view>, tensor<?x?xf32, #CSR>
  %b = sparse_tensor.values %U : tensor<?x?xf32, #CSR> to memref<?xf32>
  return %b : memref<?xf32>
}

// A copy into an argument is no copy either.

#n = affine_map<(n, i, j) -> (n)>

// CHECK-LABEL: func.func @written
// CHECK-SAME:    %[[O:[^:]*]]: tensor<?xf32>)
// CHECK:         astfe.compute
// CHECK-NEXT:      outs(%[[O]] : tensor<?xf32>) overwrite
// CHECK-NOT:     materialize_in_destination
func.func @written(%A: tensor<?x?xf32, #CSR>, %O: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %z = arith.constant 0 : index
  %d = tensor.dim %v, %z : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    astfe.yield "addf" %s : f32
  } -> tensor<?xf32>
  %U = astfe.unpack %r in %P like %A
    : tensor<?xf32>, !astfe.blocked<?x?, #view>, tensor<?x?xf32, #CSR>
  %b = sparse_tensor.values %U : tensor<?x?xf32, #CSR> to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  %o = bufferization.materialize_in_destination %t in %O
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %o : tensor<?xf32>
}

// Of a packed pattern of a host the computation writes each nonzero's where that
// is. No tensor is copied, and no memory lent.

#pack = #astfe.layout<packed, columns = 32, classes = [row_segments]>
!P = !astfe.blocked<?x?, #pack>

// CHECK-LABEL: func.func @packed
// CHECK-NOT:     astfe_rt_lend
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         %[[S:.*]] = astfe.compute
// CHECK-NEXT:      outs(%[[E]] : tensor<?xf32>) overwrite
// CHECK-SAME:      attributes {astfe.at_nonzeros}
// CHECK-NOT:     astfe_rt_unpack
// CHECK-NOT:     alloc_tensor
// CHECK:         return %[[S]]
func.func @packed(%P: !P, %v: tensor<?xf32>, %A: tensor<?x?xf32, #CSR>)
    -> tensor<?xf32> {
  %z = arith.constant 0 : index
  %d = tensor.dim %v, %z : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    astfe.yield "addf" %s : f32
  } kernel <[row_segments], column_tile = 1> -> tensor<?xf32>
  %U = astfe.unpack %r in %P like %A
    : tensor<?xf32>, !P, tensor<?x?xf32, #CSR>
  %b = sparse_tensor.values %U : tensor<?x?xf32, #CSR> to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// A tensor of such values copies them as they are.

// CHECK-LABEL: func.func @copied
// CHECK:         %[[S:.*]] = astfe.compute
// CHECK:           attributes {astfe.at_nonzeros}
// CHECK:         %[[B:.*]] = bufferization.to_buffer %[[S]] read_only
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy
// CHECK:         %[[T:.*]] = sparse_tensor.values %[[COPY]]
// CHECK:         memref.copy %[[B]], %[[T]]
// CHECK-NOT:     astfe_rt_unpack
func.func @copied(%P: !P, %v: tensor<?xf32>, %A: tensor<?x?xf32, #CSR>)
    -> tensor<?x?xf32, #CSR> {
  %z = arith.constant 0 : index
  %d = tensor.dim %v, %z : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    astfe.yield "addf" %s : f32
  } kernel <[row_segments], column_tile = 1> -> tensor<?xf32>
  %U = astfe.unpack %r in %P like %A
    : tensor<?xf32>, !P, tensor<?x?xf32, #CSR>
  return %U : tensor<?x?xf32, #CSR>
}

// Kernels of a GPU write slots: into the result itself, or into memory of the
// pattern where these are in another order.

#gpu = #astfe.layout<packed, columns = 32, classes = [row_segments], target = gpu>
!G = !astfe.blocked<?x?, #gpu>

// CHECK-LABEL: func.func @gpu
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr
// CHECK-DAG:     %[[N:.*]] = call @astfe_rt_nonzeros(%[[P]])
// CHECK-DAG:     %[[SIZE:.*]] = arith.index_cast %[[N]]
// CHECK:         %[[RESULT:.*]] = memref.alloc(%[[SIZE]]) {alignment = 64 : i64}
// CHECK:         %[[ORDER:.*]] = call @astfe_rt_in_order(%[[P]], %{{.*}})
// CHECK:         %[[MOVED:.*]] = arith.cmpi eq, %[[ORDER]]
// CHECK:         arith.select %[[MOVED]], %{{.*}}, %c0
// CHECK:         call @astfe_rt_lend
// CHECK:         %[[LENT:.*]] = memref.view
// CHECK:         %[[OUT:.*]] = arith.select %[[MOVED]], %[[LENT]], %[[RESULT]]
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK:         %[[S:.*]] = astfe.compute
// CHECK-NEXT:      outs(%[[T]] : tensor<?xf32>) overwrite
// CHECK-NOT:       at_nonzeros
// CHECK:         %[[B:.*]] = bufferization.to_buffer %[[S]] read_only
// CHECK-NEXT:    scf.if %[[MOVED]] {
// CHECK-NEXT:      func.call @astfe_rt_unpack_f32(%[[P]], %[[B]], %[[RESULT]])
// CHECK:         call @astfe_rt_take_back
// CHECK-NOT:     alloc_tensor
// CHECK:         %[[W:.*]] = bufferization.to_tensor %[[RESULT]] restrict writable
// CHECK-NEXT:    return %[[W]]
func.func @gpu(%P: !G, %v: tensor<?xf32>, %A: tensor<?x?xf32, #CSR>)
    -> tensor<?xf32> {
  %z = arith.constant 0 : index
  %d = tensor.dim %v, %z : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = astfe.compute over %P : !G maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    astfe.yield "addf" %s : f32
  } kernel <[row_segments], column_tile = 1> -> tensor<?xf32>
  %U = astfe.unpack %r in %P like %A
    : tensor<?xf32>, !G, tensor<?x?xf32, #CSR>
  %b = sparse_tensor.values %U : tensor<?x?xf32, #CSR> to memref<?xf32>
  %t = bufferization.to_tensor %b restrict : memref<?xf32> to tensor<?xf32>
  return %t : tensor<?xf32>
}

// Slots that others read too stay in memory of their own.

// CHECK-LABEL: func.func @given
// CHECK-NOT:     astfe_rt_in_order
// CHECK:         call @astfe_rt_unpack_f32
func.func @given(%P: !P, %v: tensor<?xf32>) -> tensor<?xf32> {
  %w = astfe.unpack_values %v in %P : tensor<?xf32>, !P -> tensor<?xf32>
  return %w : tensor<?xf32>
}
