// RUN: astfe-opt %s --astfe-to-cpu=storage=packed | FileCheck %s --check-prefix=PACKED
// RUN: astfe-opt %s --astfe-sparsifier=expected-runs=100 --remarks-filter='convert-astfe-to-scf' \
// RUN:   --remark-policy=all 2> %t | FileCheck %s --check-prefix=PACKED
// RUN: FileCheck %s --check-prefix=VECTORS --input-file=%t
// RUN: astfe-opt %s --astfe-sparsifier | FileCheck %s --check-prefix=VIEW
// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s --check-prefix=VIEW
// RUN: astfe-opt %s --linalg-fuse-elementwise-ops --convert-linalg-to-astfe=storage=packed \
// RUN:   --astfe-partition=order=hilbert --astfe-refine --astfe-fuse --astfe-select-kernels \
// RUN:   | FileCheck %s --check-prefix=SELECTED

// Tensors of rank 3 go through the ordinary pipelines, where those pack. A drop-in
// that nobody asked for packing leaves them to upstream, and calls no library.

// PACKED:     llvm.call @astfe_rt_profile_levels
// PACKED:     llvm.call @astfe_rt_pack_levels
// PACKED:     llvm.call @astfe_rt_brick_values_f32

// VECTORS:    emitters="bricks, column_tile of 2 x 16

// VIEW-NOT:   astfe_rt
// VIEW:       llvm.func @mttkrp
// VIEW-NOT:   astfe_rt

// SELECTED:   astfe.profile of %{{.*}} order = "hilbert"
// SELECTED:   %[[P:.*]] = astfe.pack
// SELECTED:   astfe.values %{{.*}} in %[[P]] key = 2
// SELECTED:   astfe.compute over %[[P]]
// SELECTED:   kernel <[row_segments, scattered], column_tile = 32>

#CSF = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>
#t = affine_map<(i, j, k, r) -> (i, j, k)>
#ir = affine_map<(i, j, k, r) -> (i, r)>
#jr = affine_map<(i, j, k, r) -> (j, r)>
#kr = affine_map<(i, j, k, r) -> (k, r)>

func.func @mttkrp(%T: tensor<?x?x?xf32, #CSF>, %A: tensor<?x32xf32>,
                  %B: tensor<?x32xf32>, %M: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %r = linalg.generic {indexing_maps = [#t, #ir, #jr, #kr],
      iterator_types = ["reduction", "reduction", "parallel", "parallel"]}
      ins(%T, %A, %B : tensor<?x?x?xf32, #CSF>, tensor<?x32xf32>,
                       tensor<?x32xf32>)
      outs(%M : tensor<?x32xf32>) {
  ^bb0(%x: f32, %a: f32, %b: f32, %m: f32):
    %p = arith.mulf %x, %a : f32
    %q = arith.mulf %p, %b : f32
    %s = arith.addf %m, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
