// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true" | FileCheck %s --check-prefix=ONCE
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true expected-runs=100000" | FileCheck %s --check-prefix=OFTEN
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true expected-runs=2" | FileCheck %s --check-prefix=ONCE
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true expected-runs=2 storage=packed" | FileCheck %s --check-prefix=OFTEN
// RUN: astfe-opt %s --astfe-sparsifier="enable-runtime-library=false openmp=true matrix=%S/Inputs/eye.mtx" | FileCheck %s --check-prefix=KNOWN

// RUN: astfe-opt %s --astfe-sparsifier="matrix=%S/Inputs/eye.mtx" | FileCheck %s --check-prefix=KNOWN

// Few runs view; so many that packing pays partition; a known profile leaves no partitioning to
// run time: the graph is text in the program.

// ONCE-NOT:  astfe_rt
// ONCE:      omp.wsloop
// ONCE-NOT:  astfe_rt

// OFTEN:     llvm.call @astfe_rt_partition

// KNOWN-NOT: astfe.profile
// KNOWN:     llvm.call @astfe_rt_graph
// KNOWN-NOT: astfe_rt_partition

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @spmv(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
