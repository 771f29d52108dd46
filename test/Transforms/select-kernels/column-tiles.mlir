// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: astfe-opt %s --astfe-select-kernels | FileCheck %s --check-prefix=HOST
// RUN: astfe-opt %s --astfe-select-kernels="columns=8 chip=sm_80" | FileCheck %s --check-prefix=FEW

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>
#vk = affine_map<(n, i, k) -> (k)>
#vn = affine_map<(n, i, k) -> (n)>
#vi = affine_map<(n, i, k) -> (i)>

// A GPU's tile is the largest that the columns fill, the host's the smallest that
// holds them; 64 columns are expected of a dynamic extent unless the option says
// otherwise; f64 halves the GPU's.

// Tiles of columns that a GPU works on at the same time are said to who packs.

// GPU-LABEL:  func.func @hundred(
// GPU:          astfe.pack {{.*}} {astfe.column_tiles = 2 : i64}
// GPU:          kernel {{.*}}column_tile = 64>
// HOST-LABEL: func.func @hundred(
// HOST-NOT:     astfe.column_tiles
// HOST:         kernel {{.*}}column_tile = 128>
func.func @hundred(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x100xf32>,
             %C: tensor<?x100xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x100xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x100xf32>)
      outs(%C : tensor<?x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}

// GPU-LABEL:  func.func @narrow(
// GPU:          astfe.pack {{.*}} {astfe.column_tiles = 4 : i64}
// GPU:          kernel {{.*}}column_tile = 32>
// HOST-LABEL: func.func @narrow(
// HOST:         kernel {{.*}}column_tile = 128>
func.func @narrow(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x99xf32>,
             %C: tensor<?x99xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x99xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x99xf32>)
      outs(%C : tensor<?x99xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x99xf32>
  return %r : tensor<?x99xf32>
}

// GPU-LABEL:  func.func @few(
// GPU:          kernel {{.*}}column_tile = 32>
// HOST-LABEL: func.func @few(
// HOST:         kernel {{.*}}column_tile = 16>
func.func @few(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x8xf32>,
             %C: tensor<?x8xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x8xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x8xf32>)
      outs(%C : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// GPU-LABEL:  func.func @dynamic(
// GPU:          kernel {{.*}}column_tile = 64>
// HOST-LABEL: func.func @dynamic(
// HOST:         kernel {{.*}}column_tile = 64>
// FEW-LABEL:  func.func @dynamic(
// FEW:          kernel {{.*}}column_tile = 32>
func.func @dynamic(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32>,
             %C: tensor<?x?xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x?xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// GPU-LABEL:  func.func @double(
// GPU:          kernel {{.*}}column_tile = 64>
func.func @double(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x128xf64>,
             %C: tensor<?x128xf64>, %g: !astfe.graph<?x?>)
    -> tensor<?x128xf64> {
  %P = astfe.pack %A by %g : tensor<?x?xf64, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf64, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf64>, tensor<?x128xf64>)
      outs(%C : tensor<?x128xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?x128xf64>
  return %r : tensor<?x128xf64>
}

// Without dense columns lanes run over nonzeros; a view has row segments only.

// GPU-LABEL:  func.func @vector(
// GPU:          kernel <[row_segments], column_tile = 0>
func.func @vector(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                  %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>,
         !astfe.blocked<?x?, #astfe.layout<view>> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#vn, #vk, #vi] ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Lanes take whole vectors: 130 columns are pairs, and no fours.

// GPU-LABEL:  func.func @pairs(
// GPU:          kernel {{.*}}column_tile = 64>
// HOST-LABEL: func.func @pairs(
// HOST:         kernel {{.*}}column_tile = 128>
// FEW-LABEL:  func.func @pairs(
func.func @pairs(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x130xf32>,
             %C: tensor<?x130xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x130xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x130xf32>)
      outs(%C : tensor<?x130xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x130xf32>
  return %r : tensor<?x130xf32>
}
