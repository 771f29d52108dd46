#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @product(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                   %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
