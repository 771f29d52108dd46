// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf --split-input-file --remarks-filter='convert-astfe-to-scf' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Of B_kj a copy is made whose columns lie side by side, for eight nonzeros of each
// column of A on average, or for one where a few that follow each other reach farther
// than the second cache. There is code for the copy, and for B as it is.

// REMARK-COUNT-3: [Passed] turned {{.*}} Remark="copies inputs whose columns do not lie side by side where their uses are many, or far apart"

// CHECK-LABEL: func.func @view(
// CHECK:         %[[ROWS:.*]] = tensor.dim %{{.*}}, %c1
// CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %c64
// CHECK:         %[[NONZEROS:.*]] = memref.dim
// CHECK:         %[[EIGHT:.*]] = arith.muli %[[ROWS]], %c8
// CHECK:         %[[MANY:.*]] = arith.cmpi uge, %[[NONZEROS]], %[[EIGHT]]
// CHECK:         %[[SOME:.*]] = arith.cmpi uge, %[[NONZEROS]], %[[ROWS]]
// CHECK:         %[[LARGE:.*]] = arith.cmpi uge, %[[BYTES]], %c1048576
// CHECK:         %[[MAY:.*]] = arith.andi %[[SOME]], %[[LARGE]]
// CHECK:         %[[FEW:.*]] = arith.cmpi ult, %[[NONZEROS]], %[[EIGHT]]
// CHECK:         %[[BOTH:.*]] = arith.andi %[[MAY]], %[[FEW]]
// CHECK:         %[[MADE:.*]] = arith.cmpi uge, %{{.*}}, %c1
// CHECK:         %[[LOOKS:.*]] = arith.andi %[[BOTH]], %[[MADE]]
// CHECK:         %[[PAYS:.*]] = scf.if %[[LOOKS]]
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:           arith.cmpi ugt, %{{.*}}, %c67108864
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[MANY]]
// CHECK:         %[[ALL:.*]] = arith.select %[[PAYS]], %[[BYTES]], %c0
// CHECK:         %[[MEMORY:.*]] = memref.alloc(%[[ALL]])
// CHECK:         %[[BYTES_THERE:.*]] = arith.cmpi ne, %[[ALL]], %c0
// CHECK:         %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[MEMORY]]
// CHECK:         %[[SOMEWHERE:.*]] = arith.cmpi ne, %[[ADDRESS]], %c0
// CHECK:         %[[IS_THERE:.*]] = arith.andi %[[BYTES_THERE]], %[[SOMEWHERE]]
// CHECK:         scf.if %[[IS_THERE]] {
// CHECK:           %[[COPY:.*]] = memref.view %[[MEMORY]][%c0][%[[ROWS]]] : memref<?xi8> to memref<?x8xf32>
// CHECK:           scf.parallel
// CHECK:             memref.store %{{.*}}, %[[COPY]]
// CHECK:           scf.parallel
// CHECK:             vector.load %[[COPY]]{{.*}} vector<8xf32>
// CHECK:         } else {
// CHECK-NOT:       %[[COPY]]
// CHECK:           vector.from_elements
// CHECK:         memref.dealloc %[[MEMORY]]
#n = affine_map<(n, i, j, k) -> (n)>
#kj = affine_map<(n, i, j, k) -> (k, j)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
!P = !astfe.blocked<?x?, #astfe.layout<view>>
func.func @view(%A: tensor<?x?xf32, #CSR>, %B: tensor<8x?xf32>,
                %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #kj, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<8x?xf32>)
      outs(%C : tensor<?x8xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// A packed pattern lends the memory.

// CHECK-LABEL: func.func @packed(
// CHECK:         call @astfe_rt_table_i16
// CHECK:         %[[ALL:.*]] = arith.select
// CHECK:         %[[LENT:.*]] = call @astfe_rt_lend_spare(%{{.*}}, %{{.*}})
// CHECK:         memref.view %[[LENT]][%c0]
// CHECK:         scf.parallel
// CHECK:         call @astfe_rt_take_back

#n = affine_map<(n, i, j, k) -> (n)>
#kj = affine_map<(n, i, j, k) -> (k, j)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#pack = #astfe.layout<packed, columns = 16, classes = [row_segments]>
func.func @packed(%P: !astfe.blocked<?x?, #pack>, %v: memref<?xf32>,
                  %B: memref<8x?xf32>, %C: memref<?x8xf32>) {
  astfe.compute over %P : !astfe.blocked<?x?, #pack> maps [#n, #kj, #ik]
      ins(%v, %B : memref<?xf32>, memref<8x?xf32>) outs(%C : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  }
  return
}

// -----

// Of tensors the bricks tell how far apart nonzeros are: in a mesh one brick has a
// coordinate of mode 1, elsewhere several do. What has its columns side by side stays.

// CHECK-LABEL: func.func @tensor(
// CHECK:         %[[EIGHT:.*]] = arith.muli %[[ROWS:.*]], %c8
// CHECK:         %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %[[EIGHT]]
// CHECK:         %[[MAY:.*]] = arith.andi
// CHECK:         call @astfe_rt_brick_reach(%{{.*}}, %c1_i64)
// CHECK:         %[[TWICE:.*]] = arith.muli %{{.*}}, %c2
// CHECK:         %[[THRICE:.*]] = arith.muli %{{.*}}, %c3
// CHECK:         %[[FAR:.*]] = arith.cmpi ugt, %[[TWICE]], %[[THRICE]]
// CHECK:         %[[BOTH:.*]] = arith.andi %[[MAY]], %[[FAR]]
// CHECK-NEXT:    %[[PAYS:.*]] = arith.ori %[[MANY]], %[[BOTH]]
// CHECK-NEXT:    arith.select %[[PAYS]], %{{.*}}, %c0
// CHECK:         memref.view %{{.*}}[%c0][%{{.*}}] : memref<?xi8> to memref<?x8xf32>
// CHECK-NOT:     memref.view {{.*}} to memref<?x8xf32>

#n = affine_map<(n, i, j, k, r) -> (n)>
#rj = affine_map<(n, i, j, k, r) -> (r, j)>
#kr = affine_map<(n, i, j, k, r) -> (k, r)>
#ir = affine_map<(n, i, j, k, r) -> (i, r)>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
func.func @tensor(%P: !astfe.blocked<?x?x?, #pack>, %v: memref<?xf32>,
                  %B: memref<8x?xf32>, %C: memref<?x8xf32>, %M: memref<?x8xf32>) {
  astfe.compute over %P : !astfe.blocked<?x?x?, #pack> maps [#n, #rj, #kr, #ir]
      ins(%v, %B, %C : memref<?xf32>, memref<8x?xf32>, memref<?x8xf32>) outs(%M : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.mulf %p, %a : f32
    astfe.yield "addf" %q : f32
  }
  return
}

// -----

// Parts of a view by columns read B's in order, and bits that are no bytes in memory
// have no copies.

#n = affine_map<(n, i, j, k) -> (n)>
#kj = affine_map<(n, i, j, k) -> (k, j)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed), posWidth = 32, crdWidth = 32
}>
!P = !astfe.blocked<?x?, #astfe.layout<view>>
// CHECK-LABEL: func.func @parts(
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @parts(%A: tensor<?x?xf32, #CSC>, %B: tensor<8x?xf32>,
                 %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSC>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #kj, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<8x?xf32>)
      outs(%C : tensor<?x8xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

#pack = #astfe.layout<packed, columns = 16, classes = [row_segments]>
// CHECK-LABEL: func.func @bits(
// CHECK-NOT:     astfe_rt_lend_spare
// CHECK:         return
func.func @bits(%P: !astfe.blocked<?x?, #pack>, %v: memref<?xi24>,
                %B: memref<8x?xi24>, %C: memref<?x8xi24>) {
  astfe.compute over %P : !astfe.blocked<?x?, #pack> maps [#n, #kj, #ik]
      ins(%v, %B : memref<?xi24>, memref<8x?xi24>) outs(%C : memref<?x8xi24>) {
  ^bb0(%a: i24, %b: i24):
    %p = arith.muli %a, %b : i24
    astfe.yield "addi" %p : i24
  }
  return
}
