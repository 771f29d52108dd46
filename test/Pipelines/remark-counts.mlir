// RUN: astfe-opt %s --astfe-sparsifier --remarks-filter='.*astfe.*' --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: llvm-remarkutil count --parser=yaml --count-by=remark-name --group-by=function --pass-name=convert-linalg-to-astfe --remark-name=raised %t.yaml | FileCheck %s --check-prefix=RAISED
// RUN: llvm-remarkutil count --parser=yaml --count-by=remark-name --group-by=function --pass-name=convert-linalg-to-astfe --remark-name=kept %t.yaml | FileCheck %s --check-prefix=KEPT

// What passes did is counted by LLVM's tool for remarks, since upstream counts
// nothing in a release build (docs/Pipelines.md).

// RAISED:      Function,Count
// RAISED-NEXT: one,1
// RAISED-NEXT: two,2
// RAISED-NOT:  {{.}}
// KEPT:        Function,Count
// KEPT-NEXT:   none,1
// KEPT-NOT:    {{.}}

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @one(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @two(%A: tensor<4x8xf32, #CSR>, %x: tensor<8xf32>,
               %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.matvec ins(%A, %x : tensor<4x8xf32, #CSR>, tensor<8xf32>)
                     outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

func.func @none(%A: tensor<4x8xf32, #CSR>, %B: tensor<4x8xf32, #CSR>)
    -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.mul ins(%A, %B : tensor<4x8xf32, #CSR>, tensor<4x8xf32, #CSR>)
                  outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
