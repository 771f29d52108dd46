// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t.host | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t.host
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe="target=gpu slices=false" \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t.gpu \
// RUN:   | FileCheck %s --check-prefix=GPU
// RUN: FileCheck %s --check-prefix=NOT-THERE --input-file=%t.gpu
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=target=gpu \
// RUN:   | FileCheck %s --check-prefix=LAUNCHES

// Several dense dimensions of a matrix become one: neighbours are merged, and there is
// a loop for each of the others; on GPUs only where the host copies slices, which
// kernels do not read.

// NOT-THERE-COUNT-5: kept | {{.*}} Reason="expected one output and at most one dense dimension of a matrix on a GPU"

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, l, j, k) -> (i, l)>
#B = affine_map<(i, l, j, k) -> (l, j, k)>
#C = affine_map<(i, l, j, k) -> (i, j, k)>

// GPU-LABEL:     func.func @neighbours
// GPU-COUNT-2:     tensor.collapse_shape
// GPU:             astfe.compute
// GPU-NOT:         linalg.generic
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME:    %[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]: tensor<?x2x3xf32>
// CHECK-NOT:     linalg.fill
// CHECK-DAG:     %[[BM:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0], [1, 2]] : tensor<?x2x3xf32> into tensor<?x6xf32>
// CHECK-DAG:     %[[CM:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
// CHECK:         %[[R:.*]] = astfe.compute over
// CHECK-NEXT:      ins(%{{.*}}, %[[BM]] : {{.*}}) outs(%[[CM]] : tensor<4x6xf32>) overwrite
// CHECK-NOT:     scf.for
// CHECK:         tensor.expand_shape %[[R]] {{\[\[}}0], [1, 2]]
func.func @neighbours(%A: tensor<4x?xf32, #CSR>, %B: tensor<?x2x3xf32>)
    -> tensor<4x2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x3xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%A, %B : tensor<4x?xf32, #CSR>, tensor<?x2x3xf32>)
      outs(%c : tensor<4x2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(b, i, j, k) -> (i, j)>
#B = affine_map<(b, i, j, k) -> (b, j, k)>
#C = affine_map<(b, i, j, k) -> (b, i, k)>

// GPU-LABEL:     func.func @batch
// GPU-NOT:         astfe.compute
// GPU-NOT:         scf.for
// GPU-NOT:         collapse_shape
// GPU:             linalg.generic
// LAUNCHES-LABEL: func.func @batch
// LAUNCHES:         scf.for
// LAUNCHES:           tensor.extract_slice
// LAUNCHES:           astfe.compute
// LAUNCHES:           tensor.insert_slice
// CHECK-LABEL: func.func @batch
// CHECK-SAME:    %[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]: tensor<?x5x8xf32>
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK-NOT:     linalg.fill
// CHECK:         %[[NB:.*]] = tensor.dim %[[B]], %{{.*}}
// CHECK:         %[[NC:.*]] = tensor.dim %[[E]], %{{.*}}
// CHECK:         %[[AGREE:.*]] = arith.cmpi eq, %[[NC]], %[[NB]]
// CHECK-NEXT:    cf.assert %[[AGREE]], "expected operands of a computation whose extents agree with each other" {astfe.extents}
// CHECK-NEXT:    %[[TIMES:.*]] = arith.select %[[AGREE]], %[[NB]], %{{.*}}
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[TIMES]] step %{{.*}} iter_args(%[[T:.*]] = %[[E]])
// CHECK:           %[[BS:.*]] = tensor.extract_slice %[[B]][%[[I]], 0, 0] [1, 5, 8] [1, 1, 1]
// CHECK:           %[[CS:.*]] = tensor.extract_slice %[[T]][%[[I]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:           %[[C:.*]] = astfe.compute over
// CHECK-NEXT:        ins(%{{.*}}, %[[BS]] : {{.*}}) outs(%[[CS]] : tensor<4x8xf32>) overwrite
// CHECK:           tensor.insert_slice %[[C]] into %[[T]][%[[I]], 0, 0] [1, 4, 8] [1, 1, 1]
// CHECK:         return %[[R]]
func.func @batch(%A: tensor<4x5xf32, #CSR>, %B: tensor<?x5x8xf32>, %n: index)
    -> tensor<?x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4x8xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<4x5xf32, #CSR>, tensor<?x5x8xf32>)
      outs(%c : tensor<?x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, j, h, d) -> (i, j)>
#X = affine_map<(i, j, h, d) -> (h, i, d)>
#Y = affine_map<(i, j, h, d) -> (h, j, d)>

// A sampled product is made at once: nothing of what was tried is left.

// LEFT: kept | {{.*}}Function=sampled | Reason="there is more than one dense dimension"

// GPU-LABEL:     func.func @sampled
// GPU-NOT:         astfe.compute
// GPU-NOT:         scf.for
// GPU-NOT:         collapse_shape
// GPU:             linalg.generic
// CHECK-LABEL: func.func @sampled
// CHECK-NOT:     scf.for
// CHECK-NOT:     extract_slice
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     astfe.compute
func.func @sampled(%A: tensor<4x5xf32, #CSR>, %X: tensor<2x4x8xf32>,
                   %Y: tensor<2x5x8xf32>) -> tensor<4x5xf32, #CSR> {
  %e = tensor.empty() : tensor<4x5xf32, #CSR>
  %r = linalg.generic {indexing_maps = [#A, #X, #Y, #A],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%A, %X, %Y : tensor<4x5xf32, #CSR>, tensor<2x4x8xf32>, tensor<2x5x8xf32>)
      outs(%e : tensor<4x5xf32, #CSR>) {
  ^bb0(%a: f32, %x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %a, %p : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32, #CSR>
  return %r : tensor<4x5xf32, #CSR>
}

// -----

#DCSR = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed, j : compressed)}>
#A = affine_map<(b, i, j, k) -> (i, j)>
#B = affine_map<(b, i, j, k) -> (b, j, k)>
#C = affine_map<(b, i, j, k) -> (b, i, k)>

// So it is where the computation in the loops has no code, which is the reason then.

// LEFT: kept | {{.*}}Function=nobody_packs | Reason="formats of matrices other than CSR and CSC have code for packed storage only

// GPU-LABEL:     func.func @nobody_packs
// GPU-NOT:         astfe.compute
// GPU-NOT:         scf.for
// GPU-NOT:         collapse_shape
// GPU:             linalg.generic
// CHECK-LABEL: func.func @nobody_packs
// CHECK-NEXT:    linalg.generic
// CHECK-NOT:     scf.for
// CHECK-NOT:     extract_slice
func.func @nobody_packs(%A: tensor<4x5xf32, #DCSR>, %B: tensor<2x5x8xf32>,
                        %C: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<4x5xf32, #DCSR>, tensor<2x5x8xf32>)
      outs(%C : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, l, j, k) -> (i, l)>
#B = affine_map<(i, l, j, k) -> (l, j, k)>
#C = affine_map<(i, l, j, k) -> (i, j, k)>

// 2 x 3 and 3 x 2 merge to the same; a size that only one operand has not in its
// type is compared with the others'.

// GPU-LABEL:     func.func @merged_extents
// GPU:             scf.for
// GPU:             astfe.compute
// CHECK-LABEL: func.func @merged_extents
// CHECK-SAME:    %{{[^:]*}}: {{.*}}, %[[B:[^:]*]]: tensor<?x?x?xf32>, %[[C:[^:]*]]: tensor<4x?x3xf32>
// CHECK-DAG:     %[[BJ:.*]] = tensor.dim %[[B]], %c1
// CHECK-DAG:     %[[CJ:.*]] = tensor.dim %[[C]], %c1
// CHECK:         %[[J:.*]] = arith.cmpi eq, %[[CJ]], %[[BJ]]
// CHECK-NEXT:    cf.assert %[[J]]
// CHECK:         %[[BK:.*]] = tensor.dim %[[B]], %c2
// CHECK:         %[[K:.*]] = arith.cmpi eq, %[[BK]], %c3
// CHECK-NEXT:    cf.assert %[[K]]
// CHECK-NOT:     cf.assert
// CHECK:         %[[ALL:.*]] = arith.andi %[[J]], %[[K]]
// CHECK:         %[[RUNS:.*]] = arith.select %[[ALL]], %c1{{.*}}, %c0
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %[[RUNS]] step %c1
// CHECK:         astfe.compute
// CHECK:         tensor.expand_shape
func.func @merged_extents(%A: tensor<4x?xf32, #CSR>, %B: tensor<?x?x?xf32>,
                          %C: tensor<4x?x3xf32>) -> tensor<4x?x3xf32> {
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%A, %B : tensor<4x?xf32, #CSR>, tensor<?x?x?xf32>)
      outs(%C : tensor<4x?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x?x3xf32>
  return %r : tensor<4x?x3xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, l, j, k) -> (i, l)>
#B = affine_map<(i, l, j, k) -> (l, j, k)>
#C = affine_map<(i, l, j, k) -> (i, j, k)>

// Two extents of one cannot be told apart by tensor.expand_shape.

// CHECK-LABEL: func.func @nothing_known
// CHECK:         %[[R:.*]] = astfe.compute
// CHECK:         %[[SHAPE:.*]] = tensor.from_elements %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xindex>
// CHECK-NEXT:    %[[WHOLE:.*]] = tensor.reshape %[[R]](%[[SHAPE]])
// CHECK-NOT:     tensor.expand_shape
// CHECK:         scf.yield %[[WHOLE]]
func.func @nothing_known(%A: tensor<4x?xf32, #CSR>, %B: tensor<?x?x?xf32>,
                         %C: tensor<4x?x?xf32>) -> tensor<4x?x?xf32> {
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%A, %B : tensor<4x?xf32, #CSR>, tensor<?x?x?xf32>)
      outs(%C : tensor<4x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x?x?xf32>
  return %r : tensor<4x?x?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(b, i, j, k) -> (i, j)>
#B = affine_map<(b, i, j, k) -> (b, j, k)>
#C = affine_map<(b, i, j, k) -> (b, i, k)>

// A loop that never runs would take slices of nothing.

// CHECK-LABEL: func.func @none
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
// CHECK-NOT:     scf.for
func.func @none(%A: tensor<4x5xf32, #CSR>, %B: tensor<0x5x8xf32>,
                %C: tensor<0x4x8xf32>) -> tensor<0x4x8xf32> {
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<4x5xf32, #CSR>, tensor<0x5x8xf32>)
      outs(%C : tensor<0x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<0x4x8xf32>
  return %r : tensor<0x4x8xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(l, i, j, k) -> (i, j)>
#B = affine_map<(l, i, j, k) -> (l, j, k)>
#C = affine_map<(l, i, j, k) -> (i, k)>

// A dense dimension that is summed up: the loop adds to one output, which is filled
// before it.

// CHECK-LABEL: func.func @summed
// CHECK:         %[[F:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %[[F]])
// CHECK-NOT:       linalg.fill
// CHECK:           astfe.compute over
// CHECK-NEXT:        outs(%[[T]] : tensor<4x8xf32>) {
func.func @summed(%A: tensor<4x5xf32, #CSR>, %B: tensor<3x5x8xf32>)
    -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#A, #B, #C],
      iterator_types = ["reduction", "parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<4x5xf32, #CSR>, tensor<3x5x8xf32>)
      outs(%c : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
