// DEFINE: %{strategy} = none
// DEFINE: %{run} = astfe-opt %s \
// DEFINE:     --astfe-sparsifier="enable-runtime-library=false parallelization-strategy=%{strategy}" \
// DEFINE:   | mlir-translate --mlir-to-llvmir \
// DEFINE:   | llc --filetype=obj --relocation-model=pic -o %t.o && \
// DEFINE:   %cc -shared -Wl,--no-undefined -o %t.so %t.o
// RUN: %{run}
// REDEFINE: %{strategy} = dense-outer-loop
// RUN: %{run}
// REDEFINE: %{strategy} = any-storage-outer-loop
// RUN: %{run}
// REDEFINE: %{strategy} = dense-any-loop
// RUN: %{run}
// REDEFINE: %{strategy} = any-storage-any-loop
// RUN: %{run}
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true" \
// RUN:   | FileCheck %s

// Whoever does not ask for threads gets a result that links as upstream's does:
// with the C library alone.

// CHECK: omp.parallel

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
                %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
                     outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
                     outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
