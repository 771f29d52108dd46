// RUN: astfe-opt %s --astfe-select-kernels --split-input-file | FileCheck %s

// The module says what it is compiled for.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: kernel {{.*}}column_tile = 32>
gpu.module @kernels [#nvvm.target<chip = "sm_90">] {
}
func.func @nvvm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x40xf32>,
             %C: tensor<?x40xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x40xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x40xf32>)
      outs(%C : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: kernel {{.*}}column_tile = 32>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 32768 : i32>,
    "GPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 131072 : i32>>} {
func.func @dlti(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x40xf32>,
             %C: tensor<?x40xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x40xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x40xf32>)
      outs(%C : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: kernel {{.*}}column_tile = 64>
func.func @host(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x40xf32>,
             %C: tensor<?x40xf32>, %g: !astfe.graph<?x?>)
    -> tensor<?x40xf32> {
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [#n, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x40xf32>)
      outs(%C : tensor<?x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}
