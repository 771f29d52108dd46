// RUN: astfe-opt %s --linalg-generalize-named-ops --astfe-fuse-elementwise=keep-destinations | FileCheck %s
// RUN: astfe-opt %s --linalg-generalize-named-ops --astfe-fuse-elementwise | FileCheck %s --check-prefix=LOST
// RUN: astfe-opt %s --astfe-to-cpu=storage=packed | FileCheck %s --check-prefix=CPU

// What a caller hands over is written, and no other tensor.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[C:[^:]*]]: tensor<8x16xf32>)
// CHECK:         %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[C]] : tensor<8x16xf32>)
// CHECK:         linalg.generic {{.*}} outs(%[[ZERO]] : tensor<8x16xf32>)
// LOST-LABEL:  func.func @product
// LOST:          tensor.empty
// CPU-LABEL:   llvm.func {{.*}}@product(
// CPU-NOT:       llvm.call @malloc
// CPU:           llvm.return
func.func @product(%A: tensor<8x4xf32, #CSR>, %B: tensor<4x16xf32>,
                   %C: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%C : tensor<8x16xf32>)
       -> tensor<8x16xf32>
  %r = linalg.matmul ins(%A, %B : tensor<8x4xf32, #CSR>, tensor<4x16xf32>)
                     outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// A fill by a generic op, of a tensor that is read again behind it: as before.

// CHECK-LABEL: func.func @spelled_out
// CHECK-SAME:    %[[C:[^:]*]]: tensor<8xf32>)
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[C]] : tensor<8xf32>)
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT:     linalg.fill
// CHECK-LABEL: func.func @empty
// CHECK:         tensor.empty
// CHECK-NEXT:    linalg.generic
func.func @spelled_out(%C: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %f = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%C : tensor<8xf32>) {
  ^bb0(%c: f32):
    linalg.yield %z : f32
  } -> tensor<8xf32>
  return %f, %C : tensor<8xf32>, tensor<8xf32>
}

// Some elements are no fill.
func.func @diagonal(%C: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      outs(%C : tensor<8x8xf32>) {
  ^bb0(%c: f32):
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %f : tensor<8x8xf32>
}

func.func @empty() -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %f : tensor<8xf32>
}

// An epilogue whose result the function returns keeps its own, too.

// CHECK-LABEL: func.func @epilogue
// CHECK-SAME:    %[[C:[^:]*]]: tensor<8x16xf32>)
// CHECK:         linalg.generic {{.*}} outs(%[[C]] : tensor<8x16xf32>)
// CHECK:           arith.maximumf
// LOST-LABEL:  func.func @epilogue
// LOST:          tensor.empty
func.func @epilogue(%X: tensor<8x16xf32>, %v: tensor<16xf32>,
                    %C: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X, %v : tensor<8x16xf32>, tensor<16xf32>)
      outs(%e : tensor<8x16xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %sum = arith.addf %x, %b : f32
    linalg.yield %sum : f32
  } -> tensor<8x16xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x16xf32>) outs(%C : tensor<8x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %most = arith.maximumf %x, %z : f32
    linalg.yield %most : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Patterns may merge blocks, so that functions with several are left alone.

// CHECK-LABEL: func.func @blocks
// CHECK:         tensor.empty
func.func @blocks(%c: i1, %X: tensor<8xf32>, %C: tensor<8xf32>) -> tensor<8xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%X : tensor<8xf32>) outs(%C : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %most = arith.maximumf %x, %z : f32
    linalg.yield %most : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
^b:
  return %X : tensor<8xf32>
}
