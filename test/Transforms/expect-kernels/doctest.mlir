// RUN: astfe-opt %s --split-input-file --verify-diagnostics --astfe-expect-kernels
// RUN: astfe-opt %s --split-input-file --verify-diagnostics --astfe-to-ptx="storage=packed" -o %t

// Each op says why it was left, by itself and in the pipeline.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#repeated = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed(nonunique))}>

func.func @two(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32, #repeated>,
               %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-error @+1 {{'linalg.generic' op expected a computation that a kernel is made of, but it is left to the host: the contribution is not provably one that maximumf ignores where nothing is stored}}
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<?x?xf32, #CSR>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  // expected-error @+1 {{'linalg.generic' op expected a computation that a kernel is made of, but it is left to the host: the sparse operand may store coordinates twice}}
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%B, %x : tensor<?x?xf32, #repeated>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// expected-error @+1 {{expected a computation on a sparse tensor to make a kernel of but got none}}
module {
  func.func @dense(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>)
        outs(%y : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
