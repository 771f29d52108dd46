// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe \
// RUN:   --remarks-filter='.*' --remark-policy=all --verify-diagnostics \
// RUN:   | FileCheck %s

// What the pass leaves alone, and why; an op on dense tensors is not mentioned.

// CHECK-NOT: astfe.

func.func @dense(%A: tensor<?x?xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf32>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @two_sparse(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32, #CSR>,
                      %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{more than one operand is sparse}}
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32, #CSR>)
                     outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>

func.func @two_patterns(%A: tensor<8x8xf32, #CSR>, %B: tensor<8x8xf32, #CSR>)
    -> tensor<8x8xf32, #CSR> {
  %E = tensor.empty() : tensor<8x8xf32, #CSR>
  // expected-remark @below {{more than one operand is sparse, and they are not known to be stored at the same places}}
  %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<8x8xf32, #CSR>, tensor<8x8xf32, #CSR>) outs(%E : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32, #CSR>
  return %r : tensor<8x8xf32, #CSR>
}

// -----

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @storage(%A: tensor<?x?xf32, #DCSR>, %x: tensor<?xf32>,
                   %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{formats of matrices other than CSR and CSC have code for packed storage only, which nobody asked for}}
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf32, #DCSR>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @element(%A: tensor<?x?xi4, #CSR>, %x: tensor<?xi4>,
                   %y: tensor<?xi4>) -> tensor<?xi4> {
  // expected-remark @below {{an element type is neither a float of 16 to 64 bits nor an integer of 1, 8, 16, 32 or 64, nor a complex number of floats of 32 or 64 bits}}
  %r = linalg.matvec ins(%A, %x : tensor<?x?xi4, #CSR>, tensor<?xi4>)
                     outs(%y : tensor<?xi4>) -> tensor<?xi4>
  return %r : tensor<?xi4>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// Entries that are not stored are zeros, and max(y, 0) is not y.

func.func @maximum(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                   %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{the contribution is not provably one that maximumf ignores where nothing is stored}}
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %m = arith.maximumf %c, %p : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

func.func @not_zero(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                    %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{the contribution is not provably zero where nothing is stored}}
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.addf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#col = affine_map<(i, k) -> (k)>

// 1 / a is not zero where a is.

func.func @denominator(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                       %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{the contribution is not provably zero where nothing is stored}}
  %r = linalg.generic {indexing_maps = [#A, #col, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.divf %b, %a : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#slice = #sparse_tensor.encoding<{
  map = (i : #sparse_tensor<slice(0, 4, 1)>, j : #sparse_tensor<slice(0, 8, 1)>)
    -> (i : dense, j : compressed)
}>

func.func @slice(%A: tensor<4x8xf32, #slice>, %x: tensor<8xf32>,
             %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{the levels of the sparse operand are not dense, compressed or singleton, one for each dimension or two where blocks cut it}}
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #slice>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#unordered = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed(nonordered))
}>

func.func @unordered(%A: tensor<4x8xf32, #unordered>, %x: tensor<8xf32>,
             %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{have code for packed storage only}}
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #unordered>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#repeated = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed(nonunique))
}>

func.func @repeated(%A: tensor<4x8xf32, #repeated>, %x: tensor<8xf32>,
             %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{the sparse operand may store coordinates twice}}
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #repeated>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#S = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// What a sparse output holds may have another pattern.

func.func @holds(%A: tensor<8x8xf32, #CSR>, %d: tensor<8xf32>,
                 %E: tensor<8x8xf32, #CSR>) -> tensor<8x8xf32, #CSR> {
  // expected-remark @below {{the sparse output holds something before}}
  %r = linalg.generic {indexing_maps = [#S, #row, #S],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A, %d : tensor<8x8xf32, #CSR>, tensor<8xf32>)
      outs(%E : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %x: f32, %s: f32):
    %p = arith.mulf %a, %x : f32
    linalg.yield %p : f32
  } -> tensor<8x8xf32, #CSR>
  return %r : tensor<8x8xf32, #CSR>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#S = affine_map<(i, j) -> (i, j)>
#T = affine_map<(i, j) -> (j, i)>

func.func @other_pattern(%A: tensor<8x8xf32, #CSR>) -> tensor<8x8xf32, #CSR> {
  %E = tensor.empty() : tensor<8x8xf32, #CSR>
  // expected-remark @below {{the output is sparse, and not of the pattern of the sparse operand}}
  %r = linalg.generic {indexing_maps = [#S, #T],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<8x8xf32, #CSR>) outs(%E : tensor<8x8xf32, #CSR>) {
  ^bb0(%a: f32, %s: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32, #CSR>
  return %r : tensor<8x8xf32, #CSR>
}
