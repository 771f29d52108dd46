// RUN: rm -rf %t && astfe-opt %s --astfe-to-ptx="storage=view index-bits=32 format=llvm device-operands=true" \
// RUN:   --astfe-emit-kernels=directory=%t -o /dev/null
// RUN: llvm-dis %t/spmm_kernels.bc -o - | FileCheck %s
// RUN: printf '%%%%%%%%MatrixMarket matrix coordinate real general\n3 2 3\n1 2 5\n3 1 7\n3 2 8\n' > %t/a.mtx
// RUN: astfe-run spmm --matrix %t/a.mtx --cols 1 --storage=view --device=emulator --model=h200 --accumulate --check | FileCheck %s --check-prefix=RUNS

// A matrix B of one column lies in memory as a vector does, whose lanes have a
// nonzero each, not a column of a tile of 32.

// CHECK-NOT: @tile
// CHECK:     define {{.*}}@one_column_rows(
// CHECK-NOT: @tile

// RUNS: check passed
// RUNS: model h200 of kernel 'one_column_rows{{.*}}'

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x1xf32>,
                %C: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<?x?xf32, #CSR>, tensor<?x1xf32>)
    outs(%C : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}
