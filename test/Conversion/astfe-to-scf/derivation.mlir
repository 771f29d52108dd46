// RUN: astfe-opt %s --convert-astfe-to-scf --split-input-file --verify-diagnostics | FileCheck %s

// Code is emitted for the classes that the kernel lists, and no other. What is
// packed beside it holds no other.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#all = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// The text that pack is handed says "classes":["row_segments"].
// CHECK:         memref.global "private" constant @astfe_layout : {{.*}} = dense<"0x{{.*}}22636C6173736573223A5B22726F775F7365676D656E7473225D
// CHECK-LABEL: func.func @rows(
// CHECK:         memref.get_global @astfe_layout
// CHECK:         call @astfe_rt_pack_p32c32(
// CHECK:         call @astfe_rt_fits(
// CHECK:         scf.parallel
// CHECK-NOT:     scf.index_switch
// CHECK:         scf.reduce
func.func @rows(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>,
                %v: tensor<?xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #all>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #all> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[row_segments], column_tile = 0> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#all = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// A kernel for a pattern that is known to be all tiles; here it is not known.
func.func @tiles(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>,
                 %v: tensor<?xf32>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #all>
  // expected-error @+1 {{with other kernels over its pattern: expected packed storage to permit 'row_segments' or 'scattered' but got 'dense_tile'}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #all> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[dense_tile], column_tile = 0> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#rows = #astfe.layout<packed, columns = 32, classes = [row_segments]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

func.func @nothing(%P: !astfe.blocked<?x?, #rows>, %v: tensor<?xf32>,
                   %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected a kernel with a class that the layout of its pattern permits}}
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows> maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } kernel <[scattered], column_tile = 0> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
