// A module of yours: C = A B with a sparse A, as linalg has it.
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>

func.func @product(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x128xf32>,
                   %C: tensor<?x128xf32>) -> tensor<?x128xf32> {
  %r = linalg.matmul
      ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
