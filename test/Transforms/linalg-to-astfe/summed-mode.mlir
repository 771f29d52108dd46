// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=storage=packed \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe="target=gpu storage=packed" \
// RUN:   | FileCheck %s

// Sums over one mode of a tensor into rows of the others are products of a matrix.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

// The output is filled before, and its extents are the tensor's: nothing is to be
// compared.

// REMARK: sums over one mode, so that the tensor is packed as a matrix
// CHECK-LABEL: func.func @ttm
// CHECK-SAME:    (%[[T:.*]]: tensor<?x?x?xf32, {{.*}}>, %[[B:.*]]: tensor<?x32xf32>)
// CHECK-NOT:     scf.for
// CHECK:         %[[M:.*]] = astfe.matricize %[[T]] rows [0, 2] column 1
// CHECK-SAME:      to tensor<?x?xf32
// CHECK:         %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]]
// CHECK:         %[[P:.*]] = astfe.pack %[[M]]
// CHECK:         %[[V:.*]] = astfe.values %[[M]] in %[[P]]
// CHECK:         astfe.compute over %[[P]]
// CHECK-NEXT:      ins(%[[V]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) overwrite
// CHECK:         tensor.reshape
func.func @ttm(%T: tensor<?x?x?xf32, #CSF>, %B: tensor<?x32xf32>)
    -> tensor<?x?x32xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %i = tensor.dim %T, %c0 : tensor<?x?x?xf32, #CSF>
  %k = tensor.dim %T, %c2 : tensor<?x?x?xf32, #CSF>
  %E = tensor.empty(%i, %k) : tensor<?x?x32xf32>
  %F = linalg.fill ins(%zero : f32) outs(%E : tensor<?x?x32xf32>)
    -> tensor<?x?x32xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k, r) -> (i, j, k)>, affine_map<(i, j, k, r) -> (j, r)>,
        affine_map<(i, j, k, r) -> (i, k, r)>],
      iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%T, %B : tensor<?x?x?xf32, #CSF>, tensor<?x32xf32>)
      outs(%F : tensor<?x?x32xf32>) {
  ^bb0(%t: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x32xf32>
  return %r : tensor<?x?x32xf32>
}

// -----

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

// A generic op that fills is a fill: nothing is written before.

// CHECK-LABEL: func.func @generic_fill
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK-NOT:     linalg.generic
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[E]]
// CHECK:         astfe.compute
// CHECK-NEXT:      ins({{.*}}) outs(%[[C]] : {{.*}}) overwrite
func.func @generic_fill(%T: tensor<4x5x6xf32, #CSF>, %x: tensor<6xf32>)
    -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %E = tensor.empty() : tensor<4x5xf32>
  %F = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%E : tensor<4x5xf32>) {
  ^bb0(%c: f32):
    linalg.yield %zero : f32
  } -> tensor<4x5xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>,
        affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %x : tensor<4x5x6xf32, #CSF>, tensor<6xf32>)
      outs(%F : tensor<4x5xf32>) {
  ^bb0(%t: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

// Somebody's output may have other extents with the same product: it is left as it
// is then.

// CHECK-LABEL: func.func @guarded
// CHECK-COUNT-2: cf.assert {{.*}} {astfe.extents}
// CHECK:         scf.for
// CHECK:           astfe.matricize %{{.*}} rows [1, 0] column 2
// CHECK:           astfe.compute
func.func @guarded(%T: tensor<?x?x?xf32, #CSF>, %x: tensor<?xf32>,
                   %Y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>,
        affine_map<(i, j, k) -> (j, i)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %x : tensor<?x?x?xf32, #CSF>, tensor<?xf32>)
      outs(%Y : tensor<?x?xf32>) {
  ^bb0(%t: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

// A factor by all rows is one by rows of the matrix; one by a single mode is not.

// CHECK-LABEL: func.func @weighted
// CHECK:         astfe.matricize
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x5xf32>
// CHECK-LABEL: func.func @by_one_mode
// CHECK-NOT:     astfe.matricize
// CHECK-LABEL: func.func @between
// CHECK-NOT:     astfe.matricize
// Nor is what 32 bits do not number.
// CHECK-LABEL: func.func @far
// CHECK-NOT:     astfe.matricize
#t = affine_map<(i, j, k, r) -> (i, j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
func.func @weighted(%T: tensor<4x5x6xf32, #CSF>, %W: tensor<4x5xf32>,
                    %x: tensor<6xf32>, %Y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k) -> (i, j, k)>, #ij, affine_map<(i, j, k) -> (k)>,
        #ij],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %W, %x : tensor<4x5x6xf32, #CSF>, tensor<4x5xf32>, tensor<6xf32>)
      outs(%Y : tensor<4x5xf32>) {
  ^bb0(%t: f32, %w: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %w : f32
    %q = arith.mulf %p, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @by_one_mode(%T: tensor<4x5x6xf32, #CSF>, %w: tensor<5xf32>,
                       %x: tensor<6xf32>, %Y: tensor<4x5xf32>)
    -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>,
        affine_map<(i, j, k) -> (k)>, #ij],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %w, %x : tensor<4x5x6xf32, #CSF>, tensor<5xf32>, tensor<6xf32>)
      outs(%Y : tensor<4x5xf32>) {
  ^bb0(%t: f32, %a: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %a : f32
    %q = arith.mulf %p, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @between(%T: tensor<4x5x6xf32, #CSF>, %B: tensor<6x8xf32>,
                   %Y: tensor<4x8x5xf32>) -> tensor<4x8x5xf32> {
  %r = linalg.generic {indexing_maps = [#t,
        affine_map<(i, j, k, r) -> (k, r)>, affine_map<(i, j, k, r) -> (i, r, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%T, %B : tensor<4x5x6xf32, #CSF>, tensor<6x8xf32>)
      outs(%Y : tensor<4x8x5xf32>) {
  ^bb0(%t: f32, %b: f32, %c: f32):
    %p = arith.mulf %t, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8x5xf32>
  return %r : tensor<4x8x5xf32>
}
func.func @far(%T: tensor<4x5x8589934592xf32, #CSF>, %Y: tensor<4x5xf32>)
    -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k) -> (i, j, k)>, #ij],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T : tensor<4x5x8589934592xf32, #CSF>) outs(%Y : tensor<4x5xf32>) {
  ^bb0(%t: f32, %c: f32):
    %s = arith.addf %c, %t : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
