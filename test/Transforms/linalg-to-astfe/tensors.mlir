// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe=storage=packed \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe \
// RUN:   --remarks-filter='.*' --remark-policy=all 2> %t.view | FileCheck %s --check-prefix=VIEW
// RUN: FileCheck %s --check-prefix=ASKED --input-file=%t.view
// RUN: astfe-opt %s --split-input-file --convert-linalg-to-astfe="target=gpu storage=packed" \
// RUN:   | FileCheck %s

// Tensors of other ranks than two have code for packed storage, on hosts and GPUs:
// they are raised where later stages pack, else kept for upstream.

// VIEW-NOT: astfe.
// ASKED-COUNT-4: have code for packed storage only, which nobody asked for

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>
#t = affine_map<(i, j, k, r) -> (i, j, k)>
#ir = affine_map<(i, j, k, r) -> (i, r)>
#jr = affine_map<(i, j, k, r) -> (j, r)>
#kr = affine_map<(i, j, k, r) -> (k, r)>

// Values are arranged by the mode that is summed into.

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0)>
// CHECK-DAG: #[[IR:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>
// CHECK-DAG: #[[JR:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d4)>
// CHECK-DAG: #[[KR:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>
// CHECK-LABEL: func.func @mttkrp
// CHECK-SAME:    %[[T:[^:]*]]: tensor
// CHECK:         %[[P:.*]] = astfe.pack %[[T]] : {{.*}} -> !astfe.blocked<?x?x?, #view>
// CHECK:         %[[V:.*]] = astfe.values %[[T]] in %[[P]] key = 1
// CHECK:         astfe.compute over %[[P]] {{.*}} maps [#[[N]], #[[IR]], #[[KR]], #[[JR]]]
// CHECK-NEXT:      ins(%[[V]], {{.*}}) outs({{.*}}) overwrite
func.func @mttkrp(%T: tensor<?x?x?xf32, #CSF>, %A: tensor<?x32xf32>,
                  %C: tensor<?x32xf32>, %J: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %E = tensor.empty(%J) : tensor<?x32xf32>
  %M = linalg.fill ins(%zero : f32) outs(%E : tensor<?x32xf32>)
    -> tensor<?x32xf32>
  %r = linalg.generic {indexing_maps = [#t, #ir, #kr, #jr],
      iterator_types = ["reduction", "parallel", "reduction", "parallel"]}
      ins(%T, %A, %C : tensor<?x?x?xf32, #CSF>, tensor<?x32xf32>,
                       tensor<?x32xf32>)
      outs(%M : tensor<?x32xf32>) {
  ^bb0(%x: f32, %a: f32, %c: f32, %m: f32):
    %p = arith.mulf %x, %a : f32
    %q = arith.mulf %p, %c : f32
    %s = arith.addf %m, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (i, j, k, l) -> (k : compressed(nonunique), i : singleton(nonunique),
                         l : singleton(nonunique), j : singleton),
  posWidth = 32, crdWidth = 16
}>

// A tensor of rank 4 times a vector along its last mode, in any order of levels:
// a matrix.

// CHECK-LABEL: func.func @ttv
// CHECK:         %[[M:.*]] = astfe.matricize %{{.*}} rows [2, 0, 1] column 3
// CHECK-SAME:      to tensor<504x6xf64
// CHECK:         %[[P:.*]] = astfe.pack %[[M]]
// CHECK:         astfe.values %[[M]] in %[[P]] :
// CHECK:         astfe.compute over %[[P]]
func.func @ttv(%T: tensor<9x8x7x6xf64, #COO>, %x: tensor<6xf64>,
               %Y: tensor<7x9x8xf64>) -> tensor<7x9x8xf64> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j, k, l) -> (i, j, k, l)>,
        affine_map<(i, j, k, l) -> (l)>,
        affine_map<(i, j, k, l) -> (k, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%T, %x : tensor<9x8x7x6xf64, #COO>, tensor<6xf64>)
      outs(%Y : tensor<7x9x8xf64>) {
  ^bb0(%a: f64, %b: f64, %y: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %p, %y : f64
    linalg.yield %s : f64
  } -> tensor<7x9x8xf64>
  return %r : tensor<7x9x8xf64>
}

// -----

#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>

// CHECK-LABEL: func.func @outer
// CHECK:         astfe.values %{{.*}} : tensor<64xf32
// CHECK:         astfe.compute
func.func @outer(%a: tensor<64xf32, #vector>, %b: tensor<16xf32>,
                 %C: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<64xf32, #vector>, tensor<16xf32>)
      outs(%C : tensor<64x16xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// -----

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : compressed, k : compressed),
  posWidth = 8, crdWidth = 8
}>

// The output of a product of all modes but one, in the op's order of loops.

// CHECK-LABEL: func.func @ttm_chain
// CHECK:         astfe.values %{{.*}} key = 2
func.func @ttm_chain(%T: tensor<4x5x6xf32, #CSF>, %A: tensor<4x3xf32>,
                     %B: tensor<5x16xf32>, %C: tensor<6x3x16xf32>)
    -> tensor<6x3x16xf32> {
  %r = linalg.generic {indexing_maps = [
        affine_map<(k, a, b, i, j) -> (i, j, k)>,
        affine_map<(k, a, b, i, j) -> (i, a)>,
        affine_map<(k, a, b, i, j) -> (j, b)>,
        affine_map<(k, a, b, i, j) -> (k, a, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction",
                        "reduction"]}
      ins(%T, %A, %B : tensor<4x5x6xf32, #CSF>, tensor<4x3xf32>,
                       tensor<5x16xf32>)
      outs(%C : tensor<6x3x16xf32>) {
  ^bb0(%x: f32, %a: f32, %b: f32, %c: f32):
    %p = arith.mulf %x, %a : f32
    %q = arith.mulf %p, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  } -> tensor<6x3x16xf32>
  return %r : tensor<6x3x16xf32>
}

// -----

// What has no code is kept, with the reason: sums of everything get rows, for which
// modes that are known to be long are too long.

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>
#all = affine_map<(i, j, k) -> (i, j, k)>

// CHECK-LABEL: func.func @all_modes
// CHECK-NOT:     astfe.
// REMARK:      the sums of rows might take more memory than all operands
func.func @all_modes(
    %T: tensor<3000000000x3000000000x3000000000xf32, #CSF>,
    %y: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#all, affine_map<(i, j, k) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%T : tensor<3000000000x3000000000x3000000000xf32, #CSF>) outs(%y : tensor<f32>) {
  ^bb0(%x: f32, %c: f32):
    %s = arith.addf %c, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#twice = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique),
                      k : singleton(nonunique))
}>

// CHECK-LABEL: func.func @twice
// CHECK-NOT:     astfe.
// REMARK:      the sparse operand may store coordinates twice
func.func @twice(%T: tensor<4x5x6xf32, #twice>, %x: tensor<6xf32>,
                 %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %x : tensor<4x5x6xf32, #twice>, tensor<6xf32>)
      outs(%y : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

#loose = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : dense, k : loose_compressed)
}>

// CHECK-LABEL: func.func @loose
// CHECK-NOT:     astfe.
// REMARK:      are not dense, compressed or singleton, one for each dimension
func.func @loose(%T: tensor<4x5x6xf32, #loose>, %x: tensor<6xf32>,
                 %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
        affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%T, %x : tensor<4x5x6xf32, #loose>, tensor<6xf32>)
      outs(%y : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
