// RUN: astfe-opt %s --astfe-select-kernels="classes=row_segments" | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels="chip=sm_90 classes=row_segments,scattered" | FileCheck %s --check-prefix=TWO
// RUN: astfe-opt %s --astfe-select-kernels="columns=128 classes=row_segments,row_slices" --convert-astfe-to-scf | FileCheck %s --check-prefix=SLICES
// RUN: astfe-opt %s --astfe-select-kernels="classes=dense_tile" | FileCheck %s --check-prefix=TILES
// RUN: not astfe-opt %s --astfe-select-kernels="classes=rows" 2>&1 | FileCheck %s --check-prefix=WRONG

// A program that packed before it compiles says what its patterns hold.

// CHECK: #astfe.layout<packed, columns = 32, classes = [row_segments]>
// CHECK: kernel <[row_segments], column_tile = 64>
// CHECK: kernel <[row_segments], column_tile = 64>
// TWO: classes = [row_segments, scattered], target = gpu, column_tile = 64>
// TWO: kernel <[row_segments, scattered], column_tile = 64>
// Slices need scattered nonzeros beside them: where they are left out, nothing is.
// SLICES: func.func @inside
// Tiles store no other nonzeros: the layout keeps what does.
// TILES: #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]
// TILES: kernel <[row_segments, scattered, dense_tile], column_tile = 64>
// WRONG: expected option 'classes' to be row_segments, scattered, dense_tile, row_slices, row_windows{{.*}} but got 'rows'

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>

func.func @inside(%A: tensor<?x?xf32, #CSR>, %v: tensor<?xf32>,
                  %B: tensor<?x64xf32>, %C: tensor<?x64xf32>,
                  %g: !astfe.graph<?x?>) -> tensor<?x64xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x64xf32>)
      outs(%C : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// The pattern comes from elsewhere: the kernel alone is derived for less.
func.func @outside(%P: !astfe.blocked<?x?, #pack>, %v: tensor<?xf32>,
                   %B: tensor<?x64xf32>, %C: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #jk, #ik] ins(%v, %B : tensor<?xf32>, tensor<?x64xf32>)
      outs(%C : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
