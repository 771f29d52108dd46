// RUN: astfe-opt %s --astfe-expose-buffers --verify-diagnostics

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func private @_internal_f()

// expected-error @below {{expected the name '_internal_f' to be free}}
func.func @f(%A: tensor<4x4xf32, #CSR>) {
  cf.br ^end
^end:
  return
}

func.func private @caller(%A: tensor<4x4xf32, #CSR>) {
  call @f(%A) : (tensor<4x4xf32, #CSR>) -> ()
  return
}
