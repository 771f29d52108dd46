// RUN: astfe-opt %s --split-input-file --astfe-partition --remarks-filter='.*partition' \
// RUN:   --remark-policy=all 2>&1 | FileCheck %s
// RUN: astfe-opt %s --split-input-file --astfe-partition="expected-runs=1" \
// RUN:   --remarks-filter='.*partition' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: astfe-opt %s --split-input-file --astfe-partition="expected-runs=1000000" \
// RUN:   --remarks-filter='.*partition' --remark-policy=all 2>&1 | FileCheck %s --check-prefix=MANY

// What sums into the columns would be one worker's once it is packed: the transpose
// is packed, which is the same levels under the other names.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (i, k)>
#c = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x100000, #astfe.layout<view>>

// CHECK:       [Missed] kept | Category:astfe-partition | Function=stored | Reason="its columns, which are summed into, are stored one after the other"
// CHECK-DAG:   #[[CSC:.*]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed), crdWidth = 32 }>
// CHECK-DAG:   #[[N:.*]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK:         %[[T:.*]] = sparse_tensor.reinterpret_map %[[A]] : tensor<?x100000xf32, #{{.*}}> to tensor<100000x?xf32, #[[CSC]]>
// CHECK:         %[[H:.*]] = astfe.profile of %[[T]]
// CHECK:         %[[G:.*]] = astfe.partition %[[H]] {{.*}} -> !astfe.graph<100000x?>
// CHECK:         %[[P:.*]] = astfe.pack %[[T]] by %[[G]] : {{.*}} -> !astfe.blocked<100000x?, #[[PACK:.*]]>
// CHECK:         %[[U:.*]] = sparse_tensor.reinterpret_map %[[A]]
// CHECK:         %[[V:.*]] = astfe.values %[[U]] in %[[P]]
// CHECK:         astfe.compute over %[[P]] : {{.*}} maps [#[[N]], #[[COLUMN]], #[[ROW]]]
// CHECK-NEXT:      ins(%[[V]],

// It costs what it is: nonzeros of the view write a row of the output each.

// FEW:       [Missed] repartition | Category:astfe-partition | Function=columns | break-even={{[0-9]+}}, expected-runs=1, packed-ns={{[0-9]+}}, pattern=nominal,
// FEW-LABEL: func.func @columns(
// FEW-NOT:     reinterpret_map
// FEW-NOT:     astfe.partition
// FEW:         return
// MANY:       [Passed] repartition | Category:astfe-partition | Function=columns |
// MANY-LABEL: func.func @columns(
// MANY:         reinterpret_map
// MANY:         astfe.partition
#CSR32 = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), crdWidth = 32}>
func.func @columns(%A: tensor<?x100000xf32, #CSR32>, %B: tensor<?x8xf32>,
                   %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %P = astfe.pack %A : tensor<?x100000xf32, #CSR32> -> !P
  %v = astfe.values %A in %P : tensor<?x100000xf32, #CSR32>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #b, #c]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// So it is for vectors over columns that are stored one after the other; and what is
// sampled by such a pattern has the names of the tensor that is there.

// CHECK-LABEL: func.func @by_columns(
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK:         %[[T:.*]] = sparse_tensor.reinterpret_map %[[A]]
// CHECK:         %[[P:.*]] = astfe.pack %[[T]] by
// CHECK:         %[[S:.*]] = astfe.compute over %[[P]]
// CHECK:         %[[U:.*]] = sparse_tensor.reinterpret_map %[[A]]
// CHECK:         %[[X:.*]] = astfe.unpack %[[S]] in %[[P]] like %[[U]]
// CHECK:         %[[R:.*]] = sparse_tensor.reinterpret_map %[[X]] : {{.*}} to tensor<?x?xf64, #[[CSC:.*]]>
// CHECK:         return %{{.*}}, %[[R]]
func.func @by_columns(%A: tensor<?x?xf64, #CSC>, %x: tensor<?xf64>, %y: tensor<?xf64>,
                      %e: tensor<?xf64>) -> (tensor<?xf64>, tensor<?x?xf64, #CSC>) {
  %P = astfe.pack %A : tensor<?x?xf64, #CSC> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf64, #CSC>, !P -> tensor<?xf64>
  %s = astfe.compute over %P : !P maps [#n, #i, #n]
      ins(%v, %x : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?xf64>
  %r = astfe.compute over %P : !P maps [#n, #j] ins(%s : tensor<?xf64>) outs(%y : tensor<?xf64>) {
  ^bb0(%a: f64):
    astfe.yield "addf" %a : f64
  } -> tensor<?xf64>
  %S = astfe.unpack %s in %P like %A : tensor<?xf64>, !P, tensor<?x?xf64, #CSC>
  return %r, %S : tensor<?xf64>, tensor<?x?xf64, #CSC>
}

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (i, k)>
#c = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// With several columns the rows of the transpose are as fast where they are stored.

// CHECK-LABEL: func.func @stored(
// CHECK-NOT:     reinterpret_map
// CHECK-NOT:     astfe.partition
// CHECK:         return
func.func @stored(%A: tensor<?x?xf32, #CSC>, %B: tensor<?x8xf32>,
                  %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSC> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSC>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #b, #c]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j, k) -> (n)>
#b = affine_map<(n, i, j, k) -> (i, k)>
#c = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// Values alone have no names.

// CHECK-LABEL: func.func @values_alone(
// CHECK:         astfe.unpack_values %{{.*}} in %{{.*}} : tensor<?xf32>, !astfe.blocked<?x?, #pack{{[0-9]*}}> -> tensor<?xf32>
func.func @values_alone(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
                        %C: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #b, #c]
      ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    %p = arith.mulf %a, %x : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  %w = astfe.unpack_values %v in %P : tensor<?xf32>, !P -> tensor<?xf32>
  return %r, %w : tensor<?x8xf32>, tensor<?xf32>
}
