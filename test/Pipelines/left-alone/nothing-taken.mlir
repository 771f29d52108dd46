// DEFINE: %{options} = enable-runtime-library=true
// DEFINE: %{ours} =
// DEFINE: %{run} = astfe-opt %s --sparsifier="%{options}" > %t.theirs && \
// DEFINE:   astfe-opt %s --astfe-sparsifier="%{options} %{ours}" > %t.ours && \
// DEFINE:   diff %t.theirs %t.ours && \
// DEFINE:   astfe-opt %s --sparsifier="%{options}" -o /dev/null \
// DEFINE:     --mlir-print-ir-before=sparsification-and-bufferization 2> %t.theirs && \
// DEFINE:   astfe-opt %s --astfe-sparsifier="%{options} %{ours}" -o /dev/null \
// DEFINE:     --mlir-print-ir-before=sparsification-and-bufferization 2> %t.ours && \
// DEFINE:   diff %t.theirs %t.ours
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false vl=4
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false enable-buffer-initialization=true reassociate-fp-reductions=true
// RUN: %{run}
// REDEFINE: %{options} = test-bufferization-analysis-only=true
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// REDEFINE: %{ours} = expected-runs=100 order=hilbert openmp=false split-inspector=true
// RUN: %{run}
// REDEFINE: %{ours} = storage=packed reorder=labels fma=false
// RUN: %{run}

// Nothing here is ASTFE's: its pipeline gives upstream's code, op by op, and
// bufferization sees the very program that it would see without ASTFE. What is
// written twice, is dead or folds tempts every cleaning pass. There is one dense
// constant: upstream orders the globals of several by address.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#loose = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : loose_compressed)
}>
#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>
#SV = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
#id = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

func.func @two_empty(%v: f64, %i: index)
    -> (tensor<8xf64, #SV>, tensor<8xf64, #SV>) {
  %a = tensor.empty() : tensor<8xf64, #SV>
  %a1 = tensor.insert %v into %a[%i] : tensor<8xf64, #SV>
  %a2 = sparse_tensor.load %a1 hasInserts : tensor<8xf64, #SV>
  %b = tensor.empty() : tensor<8xf64, #SV>
  %b1 = tensor.insert %v into %b[%i] : tensor<8xf64, #SV>
  %b2 = sparse_tensor.load %b1 hasInserts : tensor<8xf64, #SV>
  return %a2, %b2 : tensor<8xf64, #SV>, tensor<8xf64, #SV>
}

func.func @two_conversions(%d: tensor<8x8xf64>)
    -> (tensor<8x8xf64, #CSR>, tensor<8x8xf64, #CSR>) {
  %two = arith.constant 2.0 : f64
  %again = arith.constant 2.0 : f64
  %scale = arith.addf %two, %again : f64
  %a = sparse_tensor.convert %d : tensor<8x8xf64> to tensor<8x8xf64, #CSR>
  %b = sparse_tensor.convert %d : tensor<8x8xf64> to tensor<8x8xf64, #CSR>
  %s = linalg.generic {indexing_maps = [#id],
                       iterator_types = ["parallel", "parallel"]}
      outs(%a : tensor<8x8xf64, #CSR>) {
  ^bb0(%x: f64):
    %y = arith.mulf %x, %scale : f64
    linalg.yield %y : f64
  } -> tensor<8x8xf64, #CSR>
  return %s, %b : tensor<8x8xf64, #CSR>, tensor<8x8xf64, #CSR>
}

func.func @dense(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %i: index)
    -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?xf64>
  %z0 = arith.constant 0 : index
  %d1 = tensor.dim %a, %z0 : tensor<?x?xf64>
  %dead = arith.addi %d0, %d1 : index
  %e = tensor.empty(%d0, %d1) : tensor<?x?xf64>
  %f = tensor.empty(%d0, %d1) : tensor<?x?xf64>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>)
                     outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>)
                     outs(%f : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}

func.func private @hidden(%d: tensor<3x4xf64, #loose>, %x: tensor<4xf64>,
                          %y: tensor<3xf64>) -> tensor<3xf64> {
  %r = linalg.matvec ins(%d, %x : tensor<3x4xf64, #loose>, tensor<4xf64>)
                     outs(%y : tensor<3xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

func.func @loop(%d: tensor<3x4xf64, #loose>, %x: tensor<4xf64>,
                %y: tensor<3xf64>, %n: index, %z: f64) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1
      iter_args(%t = %y) -> tensor<3xf64> {
    %e = tensor.empty() : tensor<3xf64>
    %f = linalg.fill ins(%z : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
    %s = func.call @hidden(%d, %x, %f)
      : (tensor<3x4xf64, #loose>, tensor<4xf64>, tensor<3xf64>) -> tensor<3xf64>
    %u = bufferization.materialize_in_destination %s in %t
      : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %u : tensor<3xf64>
  }
  return %r : tensor<3xf64>
}

func.func @sum(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #COO>) -> f64 {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #none],
                       iterator_types = ["reduction", "reduction"]}
      ins(%A : tensor<?x?xf64, #CSR>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %s: f64):
    %t = arith.addf %s, %a : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  %q = linalg.generic {indexing_maps = [#id, #none],
                       iterator_types = ["reduction", "reduction"]}
      ins(%B : tensor<?x?xf64, #COO>) outs(%zero : tensor<f64>) {
  ^bb0(%a: f64, %s: f64):
    %t = arith.addf %s, %a : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  %x = tensor.extract %r[] : tensor<f64>
  %y = tensor.extract %q[] : tensor<f64>
  %t = arith.addf %x, %y : f64
  return %t : f64
}

// Sizes of empty sparse tensors are read where upstream reads them.
func.func @sizes(%m: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %t = tensor.empty(%m, %n) : tensor<?x?xf64, #sparse_tensor.encoding<{
    map = (i, j) -> (i : compressed, j : compressed)
  }>>
  %d = tensor.dim %t, %c0 : tensor<?x?xf64, #sparse_tensor.encoding<{
    map = (i, j) -> (i : compressed, j : compressed)
  }>>
  bufferization.dealloc_tensor %t : tensor<?x?xf64, #sparse_tensor.encoding<{
    map = (i, j) -> (i : compressed, j : compressed)
  }>>
  return %d : index
}
