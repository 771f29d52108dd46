// DEFINE: %{left} = sed -n '/@left/,/^  }/p'
// DEFINE: %{options} = storage=view
// DEFINE: %{run} = astfe-opt %s --sparsifier="enable-runtime-library=false" \
// DEFINE:     | %{left} > %t.theirs && \
// DEFINE:   astfe-opt %s --astfe-sparsifier="enable-runtime-library=false %{options}" \
// DEFINE:     | %{left} > %t.ours && \
// DEFINE:   FileCheck %s < %t.ours && diff %t.theirs %t.ours
// RUN: %{run}
// REDEFINE: %{options} = expected-runs=1000
// RUN: %{run}
// REDEFINE: %{options} = storage=packed
// RUN: %{run}

// Beside a function with a product that ASTFE takes, one without gets upstream's
// code.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @taken(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                 %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
                     outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}

// CHECK: llvm.func @left
// CHECK: llvm.return
func.func @left(%A: tensor<?x?xf64, #CSR>, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %again = arith.constant 0 : index
  %d = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %e = tensor.dim %A, %again : tensor<?x?xf64, #CSR>
  %s = arith.addi %d, %e : index
  %a = tensor.empty(%s) : tensor<?xf64>
  %b = tensor.empty(%s) : tensor<?xf64>
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  %a1 = linalg.fill ins(%f0 : f64) outs(%a : tensor<?xf64>) -> tensor<?xf64>
  %b1 = linalg.fill ins(%f1 : f64) outs(%b : tensor<?xf64>) -> tensor<?xf64>
  %x = tensor.extract %a1[%n] : tensor<?xf64>
  %y = tensor.extract %b1[%n] : tensor<?xf64>
  %z = arith.addf %x, %y : f64
  return %z : f64
}
