// RUN: astfe-opt %s --canonicalize --astfe-drop-idle | FileCheck %s
// RUN: sed 's/i : dense, j : compressed/i : compressed(nonunique), j : singleton/' %s \
// RUN:   | astfe-opt --astfe-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: astfe-opt %s --astfe-sparsifier=enable-runtime-library=false | FileCheck %s --check-prefix=LLVM
// RUN: astfe-opt %s --astfe-to-cpu="storage=packed" | FileCheck %s --check-prefix=LLVM

// What folding leaves of contributions of integers that are zero adds nothing:
// upstream's sparsifier ends the process at it (LLVM 22). The output is handed
// on; ops that change it stay.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>

// CHECK-LABEL: func @sum
// CHECK-SAME:    %{{.*}}: tensor<?x?xi32, #{{.*}}>, %[[S:.*]]: tensor<i32>
// CHECK-NEXT:    return %[[S]]
// LLVM: llvm.func @sum
func.func @sum(%A: tensor<?x?xi32, #CSR>, %s: tensor<i32>) -> tensor<i32> {
  %r = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]}
      ins(%A : tensor<?x?xi32, #CSR>) outs(%s : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %d = arith.subi %a, %a : i32
    %t = arith.addi %d, %o : i32
    linalg.yield %t : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}

// CHECK-LABEL: func @two
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xi32, #{{.*}}>, %[[Y:.*]]: tensor<?xi32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[Y]]
// LLVM: llvm.func @two
func.func @two(%A: tensor<?x?xi32, #CSR>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %0 = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x?xi32, #CSR>) outs(%y : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %d = arith.xori %a, %a : i32
    %t = arith.addi %o, %d : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  %1 = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x?xi32, #CSR>) outs(%0 : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %t = arith.addi %o, %a : i32
    linalg.yield %t : i32
  } -> tensor<?xi32>
  return %1 : tensor<?xi32>
}

// Of a sparse operand whose extents other operands say, too; of one with the
// pattern of a sparse output the cast stays.

// CHECK-LABEL: func @product
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf64, #{{.*}}>, %{{.*}}: tensor<8x4xf64>
// CHECK-NOT:     tensor.cast
// CHECK:         linalg.matmul ins(%[[A]],
// LLVM: llvm.func @product
func.func @product(%A: tensor<?x?xf64, #CSR>, %B: tensor<8x4xf64>, %C: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %A8 = tensor.cast %A : tensor<?x?xf64, #CSR> to tensor<8x8xf64, #CSR>
  %r = linalg.matmul ins(%A8, %B : tensor<8x8xf64, #CSR>, tensor<8x4xf64>) outs(%C : tensor<8x4xf64>) -> tensor<8x4xf64>
  return %r : tensor<8x4xf64>
}

// Of what upstream's patterns make of a reshaped result. Our own fusion does not.

// CHECK-LABEL: func @reshaped
// CHECK-SAME:    %[[A:.*]]: tensor<?x?xf64, #{{[a-z0-9]+}}>
// CHECK-NOT:     tensor.expand_shape %[[A]]
// CHECK:         linalg.generic {{.*}} ins(%[[A]],
// LLVM: llvm.func @reshaped
func.func @reshaped(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x2x3xf64>, %C: tensor<?x2x3xf64>, %m: index, %n: index)
    -> tensor<?x2x3xf64> {
  %D = tensor.expand_shape %A [[0], [1]] output_shape [%m, %n] : tensor<?x?xf64, #CSR> into tensor<?x?xf64>
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %D, %c0 : tensor<?x?xf64>
  %z = tensor.empty(%rows) : tensor<?x2x3xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, r, s, k) -> (i, k)>, affine_map<(i, r, s, k) -> (k, r, s)>,
      affine_map<(i, r, s, k) -> (i, r, s)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%D, %B : tensor<?x?xf64>, tensor<?x2x3xf64>) outs(%C : tensor<?x2x3xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    linalg.yield %s : f64
  } -> tensor<?x2x3xf64>
  %t = linalg.transpose ins(%r : tensor<?x2x3xf64>) outs(%z : tensor<?x2x3xf64>) permutation = [0, 1, 2]
  return %t : tensor<?x2x3xf64>
}
