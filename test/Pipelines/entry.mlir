// UNSUPPORTED: asan
// (a plain C program cannot link what the sanitizer was built into)
// RUN: astfe-opt %s --pass-pipeline='builtin.module(astfe-expose-buffers,sparsifier{enable-runtime-library=false},reconcile-unrealized-casts)' \
// RUN:   | mlir-translate --mlir-to-llvmir | llc --filetype=obj -o %t.o --relocation-model=pic
// RUN: %cc %S/Inputs/entry.c %t.o -o %t && %t | FileCheck %s

// The C signature of docs/Pipelines.md, called from C.

// CHECK: 111 14 9 12 in place

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                     outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
