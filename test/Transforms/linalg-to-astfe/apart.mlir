// RUN: astfe-opt %s --convert-linalg-to-astfe | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu --remarks-filter='.*astfe-to-scf.*' --remark-policy=all -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Operands that are stored column by column: the lanes of a vector lie apart, and
// rows are shared by workers as ever.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#A = affine_map<(i, k, j) -> (i, k)>
#Bt = affine_map<(i, k, j) -> (j, k)>
#Ct = affine_map<(i, k, j) -> (j, i)>

// CHECK-LABEL: @column_major
// CHECK:         astfe.compute
// REMARK:      vectors | Category:convert-astfe-to-scf | Function=column_major | emitters="rows, column_tile of 2 x 16"
func.func @column_major(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                        %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#A, #Bt, #Ct],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A slice of every other column.

// CHECK-LABEL: @slice
// CHECK:         astfe.compute
// REMARK:      vectors | Category:convert-astfe-to-scf | Function=slice | emitters="rows, column_tile of 1 x 4"
func.func @slice(%A: tensor<8x8xf32, #CSR>, %B: tensor<8x8xf32>,
                 %C: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %b = tensor.extract_slice %B[0, 0] [8, 4] [1, 2]
    : tensor<8x8xf32> to tensor<8x4xf32>
  %y = linalg.matmul ins(%A, %b : tensor<8x8xf32, #CSR>, tensor<8x4xf32>)
    outs(%C : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
