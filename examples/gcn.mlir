// A graph network of two layers, relu(A X W + b), with the dense products first:
// they make the operands of the sparse ones narrow. One module, one function:
//   astfe-run examples/gcn.mlir --matrix A=cora.mtx --check
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#row = affine_map<(k, x) -> (k, x)>
#bias = affine_map<(k, x) -> (x)>

func.func @gcn(%A: tensor<?x?xf32, #CSR>, %X: tensor<?x1433xf32>,
               %W1: tensor<1433x16xf32>, %b1: tensor<16xf32>,
               %W2: tensor<16x7xf32>, %b2: tensor<7xf32>,
               %R: tensor<?x7xf32> {astfe.undefined}) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %A, %c0 : tensor<?x?xf32, #CSR>
  // X W1, then A (X W1).
  %e1 = tensor.empty(%n) : tensor<?x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %xw = linalg.matmul ins(%X, %W1 : tensor<?x1433xf32>, tensor<1433x16xf32>)
                      outs(%f1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %e2 = tensor.empty(%n) : tensor<?x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %axw = linalg.matmul ins(%A, %xw : tensor<?x?xf32, #CSR>, tensor<?x16xf32>)
                       outs(%f2 : tensor<?x16xf32>) -> tensor<?x16xf32>
  // relu(. + b1).
  %e3 = tensor.empty(%n) : tensor<?x16xf32>
  %h = linalg.generic {indexing_maps = [#row, #bias, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%axw, %b1 : tensor<?x16xf32>, tensor<16xf32>) outs(%e3 : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x16xf32>
  // H W2, then A (H W2).
  %e4 = tensor.empty(%n) : tensor<?x7xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<?x7xf32>) -> tensor<?x7xf32>
  %hw = linalg.matmul ins(%h, %W2 : tensor<?x16xf32>, tensor<16x7xf32>)
                      outs(%f4 : tensor<?x7xf32>) -> tensor<?x7xf32>
  %e5 = tensor.empty(%n) : tensor<?x7xf32>
  %f5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<?x7xf32>) -> tensor<?x7xf32>
  %ahw = linalg.matmul ins(%A, %hw : tensor<?x?xf32, #CSR>, tensor<?x7xf32>)
                       outs(%f5 : tensor<?x7xf32>) -> tensor<?x7xf32>
  // relu(. + b2).
  %r = linalg.generic {indexing_maps = [#row, #bias, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ahw, %b2 : tensor<?x7xf32>, tensor<7xf32>) outs(%R : tensor<?x7xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x7xf32>
  return %r : tensor<?x7xf32>
}
