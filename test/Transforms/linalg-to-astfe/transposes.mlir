// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=target=gpu --remarks-filter='.*' 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe | FileCheck %s --check-prefix=HOST
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe="target=gpu slices=false" | FileCheck %s --check-prefix=DEVICE

// Lanes of a GPU run over what lies side by side: dense dimensions come last in
// transposes that the host makes. Loops of a host read it as it lies; and where
// operands are a device's, the op is left.

// CHECK-DAG:   #[[IR:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG:   #[[JR:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-LABEL: func @added
// CHECK-SAME:    %[[B:.*]]: tensor<8x?xf32>, %[[A:.*]]: tensor<?x?xf32, {{.*}}>, %[[C:.*]]: tensor<8x?xf32>
// CHECK:         %[[BT:.*]] = linalg.transpose ins(%[[B]] : tensor<8x?xf32>) outs(%{{.*}} : tensor<?x8xf32>) permutation = [1, 0]
// CHECK:         %[[CT:.*]] = linalg.transpose ins(%[[C]] : tensor<8x?xf32>) outs(%{{.*}} : tensor<?x8xf32>) permutation = [1, 0]
// CHECK:         %[[R:.*]] = astfe.compute {{.*}} maps [#{{.*}}, #[[IR]], #[[JR]]]
// CHECK-NEXT:      ins(%{{.*}}, %[[BT]] : tensor<?xf32>, tensor<?x8xf32>) outs(%[[CT]] : tensor<?x8xf32>) {
// CHECK:         linalg.transpose ins(%[[R]] : tensor<?x8xf32>) outs(%[[C]] : tensor<8x?xf32>) permutation = [1, 0]
// REMARK:      [Passed] transposed | Category:convert-linalg-to-astfe | Function=added | operands=2
// HOST-LABEL:  func @added
// HOST-NOT:      linalg.transpose
// HOST:          astfe.compute
// DEVICE-LABEL: func @added
// DEVICE-NOT:     astfe.compute
// DEVICE-LABEL: func @stored
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#trait = {indexing_maps = [affine_map<(r, i, j) -> (r, i)>, affine_map<(r, i, j) -> (i, j)>,
                           affine_map<(r, i, j) -> (r, j)>],
          iterator_types = ["parallel", "reduction", "parallel"]}
func.func @added(%B: tensor<8x?xf32>, %A: tensor<?x?xf32, #CSR>, %C: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %0 = linalg.generic #trait ins(%B, %A : tensor<8x?xf32>, tensor<?x?xf32, #CSR>)
                             outs(%C : tensor<8x?xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %p = arith.mulf %b, %a : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// What is filled before is not read: the transpose is written.

// CHECK-LABEL: func @stored
// CHECK:         linalg.transpose
// CHECK-NOT:     linalg.fill
// CHECK:         %[[R:.*]] = astfe.compute
// CHECK-NEXT:      outs(%{{.*}}) overwrite
// CHECK:         linalg.transpose ins(%[[R]]
// CHECK-NOT:     linalg.transpose
func.func @stored(%B: tensor<8x?xf32>, %A: tensor<?x5xf32, #CSR>) -> tensor<8x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x5xf32>
  %C = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x5xf32>) -> tensor<8x5xf32>
  %0 = linalg.generic #trait ins(%B, %A : tensor<8x?xf32>, tensor<?x5xf32, #CSR>)
                             outs(%C : tensor<8x5xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %p = arith.mulf %b, %a : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

// Two dense dimensions are merged once they are last; and sums that the output does
// not have are made of rows of a transpose.

// CHECK-LABEL: func @merged
// CHECK:         linalg.transpose {{.*}} permutation = [2, 0, 1]
// CHECK:         tensor.collapse_shape
// CHECK:         astfe.compute
// CHECK:         tensor.expand_shape
// CHECK:         linalg.transpose {{.*}} permutation = [1, 2, 0]
// CHECK-LABEL: func @summed
// CHECK:         linalg.transpose {{.*}} permutation = [1, 0]
// CHECK:         astfe.compute
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @merged(%B: tensor<8x3x4xf32>, %A: tensor<4x5xf32, #CSR>, %C: tensor<8x3x5xf32>) -> tensor<8x3x5xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(r, s, i, j) -> (r, s, i)>, affine_map<(r, s, i, j) -> (i, j)>,
                       affine_map<(r, s, i, j) -> (r, s, j)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%B, %A : tensor<8x3x4xf32>, tensor<4x5xf32, #CSR>) outs(%C : tensor<8x3x5xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %p = arith.mulf %b, %a : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}
func.func @summed(%B: tensor<8x4xf32>, %A: tensor<4x5xf32, #CSR>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(r, i, j) -> (r, i)>, affine_map<(r, i, j) -> (i, j)>,
                       affine_map<(r, i, j) -> (r)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%B, %A : tensor<8x4xf32>, tensor<4x5xf32, #CSR>) outs(%c : tensor<8xf32>) {
  ^bb0(%b: f32, %a: f32, %o: f32):
    %p = arith.mulf %b, %a : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
