// UNSUPPORTED: asan
// DEFINE: %{options} = enable-runtime-library=true
// DEFINE: %{run} = astfe-opt %s --astfe-sparsifier="%{options}" \
// DEFINE:   | mlir-runner -e main -entry-point-result=void \
// DEFINE:       -shared-libs=%llvm_lib/libmlir_c_runner_utils.so,%astfe_lib/libastfe_runtime.so \
// DEFINE:   | FileCheck %s
// RUN: mlir-opt %s --sparsifier | mlir-runner -e main -entry-point-result=void \
// RUN:   -shared-libs=%llvm_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: %{run}
// REDEFINE: %{options} = enable-runtime-library=false
// RUN: %{run}
// REDEFINE: %{options} = storage=packed
// RUN: %{run}
// REDEFINE: %{options} = storage=packed enable-runtime-library=false
// RUN: %{run}
// RUN: astfe-opt %s --convert-linalg-to-astfe --astfe-fuse-computes | FileCheck %s --check-prefix=APART

// A sampled product has the pattern of its matrix, which may be written in place
// or released before the product is read: then its pattern is its own.

// CHECK:      ( ( 29, 34 ), ( 21, 84 ), ( 0, 0 ), ( 243, 515 ) )
// CHECK-NEXT: ( ( 11, 13 ), ( 7, 25 ), ( 1, 1 ), ( 51, 75 ) )
// CHECK-NEXT: ( ( 29, 34 ), ( 21, 84 ), ( 0, 0 ), ( 243, 515 ) )

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#ij = affine_map<(i, j) -> (i, j)>
#sampled = {
  indexing_maps = [affine_map<(i, j, d) -> (i, j)>,
                   affine_map<(i, j, d) -> (i, d)>,
                   affine_map<(i, j, d) -> (j, d)>,
                   affine_map<(i, j, d) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
#scale = {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}

func.func @scale(%A: tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR> {
  %two = arith.constant 2.0 : f64
  %r = linalg.generic #scale outs(%A : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64):
    %q = arith.mulf %a, %two : f64
    linalg.yield %q : f64
  } -> tensor<4x4xf64, #CSR>
  return %r : tensor<4x4xf64, #CSR>
}

// APART-LABEL: func.func @written
// APART:         %[[S:.*]] = astfe.unpack
// APART:         call @scale
// APART:         astfe.pack %[[S]]
func.func @written(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>,
                   %C: tensor<4x2xf64>, %D: tensor<4x2xf64>)
    -> (tensor<4x2xf64>, tensor<4x2xf64>) {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #sampled
      ins(%A, %X, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>)
      outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<4x4xf64, #CSR>
  %B = call @scale(%A) : (tensor<4x4xf64, #CSR>) -> tensor<4x4xf64, #CSR>
  %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  %s = linalg.matmul ins(%B, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%D : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %r, %s : tensor<4x2xf64>, tensor<4x2xf64>
}

// APART-LABEL: func.func @released
// APART:         %[[S:.*]] = astfe.unpack
// APART:         bufferization.dealloc_tensor
// APART:         astfe.pack %[[S]]
func.func @released(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>,
                    %C: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #sampled
      ins(%A, %X, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>)
      outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<4x4xf64, #CSR>
  bufferization.dealloc_tensor %A : tensor<4x4xf64, #CSR>
  %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %r : tensor<4x2xf64>
}

// Released at last, and only read by what is called in between.
// APART-LABEL: func.func @kept
// APART-NOT:     astfe.unpack
// APART:         astfe.fused
func.func private @sum(%A: tensor<4x4xf64, #CSR>, %y: tensor<4xf64>)
    -> tensor<4xf64> {
  %r = linalg.generic {
      indexing_maps = [#ij, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%A : tensor<4x4xf64, #CSR>) outs(%y : tensor<4xf64>) {
  ^bb0(%a: f64, %o: f64):
    %s = arith.addf %a, %o : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
}
func.func @kept(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>,
                %C: tensor<4x2xf64>, %y: tensor<4xf64>)
    -> (tensor<4x2xf64>, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #sampled
      ins(%A, %X, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>)
      outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y0: f64, %o: f64):
    %p = arith.mulf %x, %y0 : f64
    %q = arith.mulf %a, %p : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<4x4xf64, #CSR>
  %s = call @sum(%A, %y) : (tensor<4x4xf64, #CSR>, tensor<4xf64>) -> tensor<4xf64>
  %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  bufferization.dealloc_tensor %A : tensor<4x4xf64, #CSR>
  return %r, %s : tensor<4x2xf64>, tensor<4xf64>
}

func.func @show(%t: tensor<4x2xf64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %v = vector.transfer_read %t[%c0, %c0], %zero : tensor<4x2xf64>, vector<4x2xf64>
  vector.print %v : vector<4x2xf64>
  return
}

func.func @main() {
  %d = arith.constant dense<[[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 3.0],
                             [0.0, 0.0, 0.0, 0.0], [4.0, 5.0, 0.0, 6.0]]> : tensor<4x4xf64>
  %A = sparse_tensor.convert %d : tensor<4x4xf64> to tensor<4x4xf64, #CSR>
  %A2 = sparse_tensor.convert %d : tensor<4x4xf64> to tensor<4x4xf64, #CSR>
  %X = arith.constant dense<[[1.0, 2.0], [3.0, 1.0], [2.0, 2.0], [1.0, 4.0]]> : tensor<4x2xf64>
  %C = arith.constant dense<0.0> : tensor<4x2xf64>
  %D = arith.constant dense<1.0> : tensor<4x2xf64>
  %r:2 = call @written(%A, %X, %C, %D)
    : (tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2xf64>)
      -> (tensor<4x2xf64>, tensor<4x2xf64>)
  call @show(%r#0) : (tensor<4x2xf64>) -> ()
  call @show(%r#1) : (tensor<4x2xf64>) -> ()
  %s = call @released(%A2, %X, %C)
    : (tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
  call @show(%s) : (tensor<4x2xf64>) -> ()
  return
}

// Released by what is called in between and, under another condition, at last.
// APART-LABEL: func.func @ended
// APART:         %[[S:.*]] = astfe.unpack
// APART:         call @end
// APART:         astfe.pack %[[S]]
func.func private @end(%A: tensor<4x4xf64, #CSR>, %now: i1) {
  scf.if %now {
    bufferization.dealloc_tensor %A : tensor<4x4xf64, #CSR>
  }
  return
}
func.func @ended(%A: tensor<4x4xf64, #CSR>, %X: tensor<4x2xf64>,
                 %C: tensor<4x2xf64>, %first: i1, %second: i1)
    -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x4xf64, #CSR>
  %S = linalg.generic #sampled
      ins(%A, %X, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>, tensor<4x2xf64>)
      outs(%e : tensor<4x4xf64, #CSR>) {
  ^bb0(%a: f64, %x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    %q = arith.mulf %a, %p : f64
    %r = arith.addf %o, %q : f64
    linalg.yield %r : f64
  } -> tensor<4x4xf64, #CSR>
  call @end(%A, %first) : (tensor<4x4xf64, #CSR>, i1) -> ()
  %r = linalg.matmul ins(%S, %X : tensor<4x4xf64, #CSR>, tensor<4x2xf64>)
                     outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  call @end(%A, %second) : (tensor<4x4xf64, #CSR>, i1) -> ()
  return %r : tensor<4x2xf64>
}
