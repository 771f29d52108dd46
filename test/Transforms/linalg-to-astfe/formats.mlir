// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=storage=packed \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t.left \
// RUN:   | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.left
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe="target=gpu storage=packed" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t | FileCheck %s --check-prefix=VIEW
// RUN: FileCheck %s --check-prefix=ASKED --input-file=%t

// Matrices whose levels can be listed are raised where later stages pack, and what
// sums into columns is raised over the transpose, which is the same levels under
// other names. Only CSR and CSC have code where they are stored.

// ASKED-COUNT-4: Reason="formats of matrices other than CSR and CSC have code for packed storage only

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton(soa))
}>

// VIEW-LABEL:  func.func @coo
// VIEW-NOT:      astfe.
// VIEW:          linalg.
// CHECK-LABEL: func.func @coo
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK-NOT:     reinterpret_map
// CHECK:         %[[P:.*]] = astfe.pack %[[A]] : {{.*}} -> !astfe.blocked<4x?, #view>
// CHECK:         astfe.values %[[A]] in %[[P]]
// CHECK:         astfe.compute over %[[P]]
func.func @coo(%A: tensor<4x?xf32, #COO>, %x: tensor<?xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<4x?xf32, #COO>, tensor<?xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#DCSR8 = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed), posWidth = 8, crdWidth = 16
}>
#S = affine_map<(i, j, k) -> (i, j)>
#X = affine_map<(i, j, k) -> (i, k)>
#Y = affine_map<(i, j, k) -> (j, k)>

// A sampled product has the pattern of the tensor that is there.

// VIEW-LABEL:  func.func @sampled
// VIEW-NOT:      astfe.
// VIEW:          linalg.
// CHECK-LABEL: func.func @sampled
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK:         %[[P:.*]] = astfe.pack %[[A]]
// CHECK:         %[[S:.*]] = astfe.compute over %[[P]]
// CHECK:         astfe.unpack %[[S]] in %[[P]] like %[[A]]
func.func @sampled(%A: tensor<4x5xf32, #DCSR8>, %X: tensor<4x8xf32>,
                   %Y: tensor<5x8xf32>) -> tensor<4x5xf32, #DCSR8> {
  %E = tensor.empty() : tensor<4x5xf32, #DCSR8>
  %r = linalg.generic {indexing_maps = [#S, #X, #Y, #S],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %X, %Y : tensor<4x5xf32, #DCSR8>, tensor<4x8xf32>, tensor<5x8xf32>)
      outs(%E : tensor<4x5xf32, #DCSR8>) {
  ^bb0(%a: f32, %x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %a, %p : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32, #DCSR8>
  return %r : tensor<4x5xf32, #DCSR8>
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed(nonunique), i : singleton)
}>
#S = affine_map<(i, j, k) -> (i, j)>
#X = affine_map<(i, j, k) -> (i, k)>
#Y = affine_map<(i, j, k) -> (j, k)>

// CHECK-DAG:  #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG:  #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG:  #[[T:.*]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton) }>
// VIEW-LABEL:  func.func @columns
// VIEW-NOT:      astfe.
// VIEW:          linalg.
// CHECK-LABEL: func.func @columns
// CHECK-SAME:    %[[A:[^:]*]]: tensor
// CHECK:         %[[T:.*]] = sparse_tensor.reinterpret_map %[[A]] : {{.*}} to tensor<5x4xf32, #{{.*}}>
// CHECK:         %[[P:.*]] = astfe.pack %[[T]] : {{.*}} -> !astfe.blocked<5x4, #view>
// CHECK:         %[[V:.*]] = astfe.values %[[T]] in %[[P]]
// CHECK:         astfe.compute over %[[P]] {{.*}} maps [#{{.*}}, #[[COLUMN]], #[[ROW]]]
// CHECK-NEXT:      ins(%[[V]], %{{.*}}) outs(%{{.*}})
func.func @columns(%A: tensor<4x5xf32, #COO>, %X: tensor<4x8xf32>,
                   %C: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %r = linalg.generic {indexing_maps = [#S, #X, #Y],
                       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%A, %X : tensor<4x5xf32, #COO>, tensor<4x8xf32>)
      outs(%C : tensor<5x8xf32>) {
  ^bb0(%a: f32, %x: f32, %c: f32):
    %p = arith.mulf %a, %x : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// -----

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>

// VIEW-LABEL:  func.func @blocks
// VIEW-NOT:      astfe.
// VIEW:          linalg.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT:     reinterpret_map
// CHECK:         astfe.compute over %{{.*}} : !astfe.blocked<?x?, #view>
func.func @blocks(%A: tensor<?x?xf32, #BSR>, %B: tensor<?x8xf32>,
                  %C: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #BSR>, tensor<?x8xf32>)
                     outs(%C : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#S = affine_map<(i, j) -> (i, j)>
#X = affine_map<(i, j) -> (i)>
#Y = affine_map<(i, j) -> (j)>

// Over a host's views workers have pieces with sums of their own; whether the
// transpose is packed instead, partitioning decides. A GPU packs it.

// VIEW-LABEL:  func.func @one_column
// VIEW-NOT:      reinterpret_map
// VIEW:          astfe.compute
// CHECK-LABEL: func.func @one_column
// HOST-NOT:      reinterpret_map
// GPU:           sparse_tensor.reinterpret_map %{{.*}} : tensor<4x5xf32, #{{.*}}> to tensor<5x4xf32, #{{.*}}>
// CHECK:         astfe.compute
func.func @one_column(%A: tensor<4x5xf32, #CSR>, %x: tensor<4xf32>,
                      %y: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [#S, #X, #Y],
                       iterator_types = ["reduction", "parallel"]}
      ins(%A, %x : tensor<4x5xf32, #CSR>, tensor<4xf32>) outs(%y : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense)
}>
#S = affine_map<(i, j, k) -> (i, j)>
#B = affine_map<(i, j, k) -> (j, k)>
#C = affine_map<(i, j, k) -> (i, k)>

// Zeros in blocks are stored, and count as entries. With one column a block's one
// index is worth more than vectors on a host; but what upstream makes of a
// reduction of sparse_tensor begins anew in each block, and overwrites its output.

// LEFT:        Reason="blocks are packed entry by entry, which pays with dense columns only"
// VIEW-LABEL:  func.func @least_in_blocks
// VIEW-NOT:      astfe.
// VIEW:          linalg.
// CHECK-LABEL: func.func @least_in_blocks
// CHECK:         astfe.compute
// CHECK:           astfe.yield "minimumf"
// CHECK:         astfe.compute
// CHECK:           astfe.yield "minimumf"
// GPU:           astfe.compute
// GPU:             astfe.yield "addf"
func.func @least_in_blocks(%A: tensor<4x6xf32, #BSR>, %B: tensor<6x8xf32>,
                           %x: tensor<6xf32>, %C: tensor<4x8xf32>, %y: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>) {
  %inf = arith.constant 0x7F800000 : f32
  %r = linalg.generic {indexing_maps = [#S, #B, #C],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<4x6xf32, #BSR>, tensor<6x8xf32>)
      outs(%C : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        sparse_tensor.yield %w : f32
      }
      left = {}
      right = {}
    %t = sparse_tensor.reduce %p, %c, %inf : f32 {
      ^bb0(%u: f32, %v: f32):
        %w = arith.minimumf %u, %v : f32
        sparse_tensor.yield %w : f32
    }
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
        affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<4x6xf32, #BSR>, tensor<6xf32>)
      outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = sparse_tensor.binary %a, %b : f32, f32 to f32
      overlap = {
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        sparse_tensor.yield %w : f32
      }
      left = {}
      right = {}
    %t = sparse_tensor.reduce %p, %c, %inf : f32 {
      ^bb0(%u: f32, %v: f32):
        %w = arith.minimumf %u, %v : f32
        sparse_tensor.yield %w : f32
    }
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %s = linalg.matvec ins(%A, %x : tensor<4x6xf32, #BSR>, tensor<6xf32>)
                     outs(%q : tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<4x8xf32>, tensor<4xf32>
}
