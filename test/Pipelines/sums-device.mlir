// RUN: not astfe-opt %s --astfe-to-ptx="host=true device-operands=true" -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-to-ptx="host=true" -o /dev/null

// The host adds up the sums of rows, which it cannot read where operands lie in the
// device's memory.

// CHECK: expected a computation that a kernel is made of, but it is left to the host
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @sum(%A: tensor<?x?xf64, #CSR>, %s: tensor<f64>) -> tensor<f64> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%A : tensor<?x?xf64, #CSR>) outs(%s : tensor<f64>) {
  ^bb0(%a: f64, %o: f64):
    %r = arith.addf %o, %a : f64
    linalg.yield %r : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}
