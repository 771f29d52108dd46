// RUN: astfe-opt %s --astfe-expose-buffers --split-input-file --verify-diagnostics

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

// -----

#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>

func.func @carried(%A: tensor<?x?xf64, #CSC>, %x: tensor<?xf64>, %y: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%B = %A, %s = %y) -> (tensor<?x?xf64, #CSC>, tensor<?xf64>) {
    %s1 = linalg.matvec ins(%B, %x : tensor<?x?xf64, #CSC>, tensor<?xf64>) outs(%s : tensor<?xf64>) -> tensor<?xf64>
    // expected-error @below {{expected a sparse tensor that a loop carries and changes to have its dimensions in their order as levels but got 'tensor<?x?xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>>'}}
    %B1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%B : tensor<?x?xf64, #CSC>) {
    ^bb0(%a: f64):
      %p = arith.addf %a, %a : f64
      linalg.yield %p : f64
    } -> tensor<?x?xf64, #CSC>
    scf.yield %B1, %s1 : tensor<?x?xf64, #CSC>, tensor<?xf64>
  }
  return %r#1 : tensor<?xf64>
}
