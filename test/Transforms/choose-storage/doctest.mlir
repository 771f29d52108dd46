// RUN: astfe-opt %s --astfe-select-kernels --astfe-choose-storage | FileCheck %s
// RUN: astfe-opt %s --astfe-select-kernels=chip=sm_90 --astfe-choose-storage \
// RUN:   | FileCheck %s --check-prefix=NONE

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#narrow = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                   posWidth = 32, crdWidth = 16}>
#pack = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, k) -> (n)>
#k = affine_map<(n, i, k) -> (k)>
#i = affine_map<(n, i, k) -> (i)>
#nij = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// A GPU's rule is another.
// NONE-NOT: is_stored

// CHECK-DAG: #[[VIEW:view.*]] = #astfe.layout<view>
// CHECK-LABEL: func.func @f(
// CHECK-SAME:      %[[A:[^:]*]]: {{[^%]*}}%[[B:[^:]*]]: {{[^%]*}}%[[C:[^:]*]]: tensor<4096x128xf32>
// CHECK:         %[[P:.*]] = astfe.pack %[[A]] by %{{.*}} unless_stored = <columns = 128, element_bytes = 4>
// CHECK:         %[[v:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK:         %[[s:.*]] = astfe.is_stored %[[P]]
// CHECK:         %[[r:.*]] = scf.if %[[s]] -> (tensor<4096x128xf32>) {
// CHECK:           %[[V:.*]] = astfe.pack %[[A]] : {{.*}} -> !astfe.blocked<4096x?, #[[VIEW]]>
// CHECK:           %[[w:.*]] = astfe.values %[[A]] in %[[V]]
// CHECK:           %[[c:.*]] = astfe.compute over %[[V]]
// CHECK:             ins(%[[w]], %[[B]] :
// CHECK:             outs(%[[C]] :
// CHECK:             kernel <[row_segments], column_tile = 128>
// CHECK:           scf.yield %[[c]]
// CHECK:         } else {
// CHECK:           %[[c:.*]] = astfe.compute over %[[P]]
// CHECK:             ins(%[[v]], %[[B]] :
// CHECK:             outs(%[[C]] :
// CHECK:           scf.yield %[[c]]
// CHECK:         return %[[r]]
func.func @f(%A: tensor<4096x?xf32, #CSR>, %B: tensor<?x128xf32>,
             %C: tensor<4096x128xf32>, %g: !astfe.graph<4096x?>)
    -> tensor<4096x128xf32> {
  %P = astfe.pack %A by %g : tensor<4096x?xf32, #CSR>, !astfe.graph<4096x?>
    -> !astfe.blocked<4096x?, #pack>
  %v = astfe.values %A in %P
    : tensor<4096x?xf32, #CSR>, !astfe.blocked<4096x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<4096x?, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<4096x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<4096x128xf32>
  return %r : tensor<4096x128xf32>
}

// Parts of complex numbers are columns.
// CHECK-LABEL: func.func @parts(
// CHECK:         unless_stored = <columns = 16, element_bytes = 8>
func.func @parts(%A: tensor<64x64xcomplex<f64>, #CSR>,
                 %B: tensor<64x8xcomplex<f64>>, %C: tensor<64x8xcomplex<f64>>,
                 %g: !astfe.graph<64x64>) -> tensor<64x8xcomplex<f64>> {
  %P = astfe.pack %A by %g : tensor<64x64xcomplex<f64>, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xcomplex<f64>, #CSR>, !astfe.blocked<64x64, #pack>
    -> tensor<?xcomplex<f64>>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij]
      ins(%v, %B : tensor<?xcomplex<f64>>, tensor<64x8xcomplex<f64>>)
      outs(%C : tensor<64x8xcomplex<f64>>) {
  ^bb0(%a: complex<f64>, %b: complex<f64>):
    %p = complex.mul %a, %b : complex<f64>
    astfe.yield "addf" %p : complex<f64>
  } -> tensor<64x8xcomplex<f64>>
  return %r : tensor<64x8xcomplex<f64>>
}

// The widest of all products counts, and each has both.
// CHECK-LABEL: func.func @two(
// CHECK:         unless_stored = <columns = 96, element_bytes = 4>
// CHECK-COUNT-2: astfe.is_stored
func.func @two(%A: tensor<64x64xf32, #CSR>, %B: tensor<64x8xf32>,
               %C: tensor<64x8xf32>, %D: tensor<64x96xf32>,
               %E: tensor<64x96xf32>, %g: !astfe.graph<64x64>)
    -> (tensor<64x8xf32>, tensor<64x96xf32>) {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  %s = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %D : tensor<?xf32>, tensor<64x96xf32>)
      outs(%E : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x96xf32>
  return %r, %s : tensor<64x8xf32>, tensor<64x96xf32>
}

// The row of a result that takes most bytes counts, not the first, nor the most
// columns with the bytes of another.
// CHECK-LABEL: func.func @mixed(
// CHECK:         unless_stored = <columns = 32, element_bytes = 4>
func.func @mixed(%A: tensor<64x64xf16, #CSR>, %B: tensor<64x48xf16>,
                 %C: tensor<64x48xf16>, %D: tensor<64x32xf16>,
                 %E: tensor<64x32xf32>, %g: !astfe.graph<64x64>)
    -> (tensor<64x48xf16>, tensor<64x32xf32>) {
  %P = astfe.pack %A by %g : tensor<64x64xf16, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf16, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf16>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf16>, tensor<64x48xf16>)
      outs(%C : tensor<64x48xf16>) {
  ^bb0(%a: f16, %b: f16):
    %p = arith.mulf %a, %b : f16
    astfe.yield "addf" %p : f16
  } -> tensor<64x48xf16>
  %s = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %D : tensor<?xf16>, tensor<64x32xf16>)
      outs(%E : tensor<64x32xf32>) {
  ^bb0(%a: f16, %b: f16):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %p = arith.mulf %c, %d : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x32xf32>
  return %r, %s : tensor<64x48xf16>, tensor<64x32xf32>
}

// Two packs of a tensor, which merge-inspectors makes one.
// CHECK-LABEL: func.func @siblings(
// CHECK-COUNT-2: astfe.pack {{.*}} unless_stored = <columns = 96, element_bytes = 4>
func.func @siblings(%A: tensor<64x64xf32, #CSR>, %B: tensor<64x8xf32>,
                    %C: tensor<64x8xf32>, %D: tensor<64x96xf32>,
                    %E: tensor<64x96xf32>, %g: !astfe.graph<64x64>)
    -> (tensor<64x8xf32>, tensor<64x96xf32>) {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %Q = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %w = astfe.values %A in %Q
    : tensor<64x64xf32, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  %s = astfe.compute over %Q : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%w, %D : tensor<?xf32>, tensor<64x96xf32>)
      outs(%E : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x96xf32>
  return %r, %s : tensor<64x8xf32>, tensor<64x96xf32>
}

// Vectors are packed, and so is what one reads beside a product.
// CHECK-LABEL: func.func @vector(
// CHECK-NOT:     stored
func.func @vector(%A: tensor<64x64xf32, #CSR>, %B: tensor<64x8xf32>,
                  %C: tensor<64x8xf32>, %x: tensor<64xf32>,
                  %y: tensor<64xf32>, %g: !astfe.graph<64x64>)
    -> (tensor<64x8xf32>, tensor<64xf32>) {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  %s = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#n, #k, #i] ins(%v, %x : tensor<?xf32>, tensor<64xf32>)
      outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64xf32>
  return %r, %s : tensor<64x8xf32>, tensor<64xf32>
}

// So is one whose values somebody else reads, which are empty where it is stored,
// and one whose product reads other values.
// CHECK-LABEL: func.func @read(
// CHECK-NOT:     stored
func.func @read(%A: tensor<64x64xf32, #CSR>, %B: tensor<64x8xf32>,
                %C: tensor<64x8xf32>, %g: !astfe.graph<64x64>)
    -> (tensor<64x8xf32>, tensor<?xf32>) {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  return %r, %v : tensor<64x8xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @others(
// CHECK-NOT:     stored
func.func @others(%A: tensor<64x64xf32, #CSR>, %v: tensor<?xf32>,
                  %B: tensor<64x8xf32>, %C: tensor<64x8xf32>,
                  %g: !astfe.graph<64x64>) -> tensor<64x8xf32> {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}

// Matrices by columns, and with narrow indices, are packed.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT:     stored
func.func @columns(%A: tensor<64x64xf32, #CSC>, %B: tensor<64x8xf32>,
                   %C: tensor<64x8xf32>, %g: !astfe.graph<64x64>)
    -> tensor<64x8xf32> {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSC>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #CSC>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     stored
func.func @narrow(%A: tensor<64x64xf32, #narrow>, %B: tensor<64x8xf32>,
                  %C: tensor<64x8xf32>, %g: !astfe.graph<64x64>)
    -> tensor<64x8xf32> {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #narrow>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #narrow>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#nij, #kj, #ij] ins(%v, %B : tensor<?xf32>, tensor<64x8xf32>)
      outs(%C : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}

// Sums of what rows store have no dense columns.
// CHECK-LABEL: func.func @sums(
// CHECK:         unless_stored = <columns = 0, element_bytes = 4>
// CHECK:         astfe.is_stored
func.func @sums(%A: tensor<64x64xf32, #CSR>, %x: tensor<64xf32>,
                %y: tensor<64xf32>, %g: !astfe.graph<64x64>)
    -> tensor<64xf32> {
  %P = astfe.pack %A by %g : tensor<64x64xf32, #CSR>, !astfe.graph<64x64>
    -> !astfe.blocked<64x64, #pack>
  %v = astfe.values %A in %P
    : tensor<64x64xf32, #CSR>, !astfe.blocked<64x64, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<64x64, #pack>
      maps [#n, #i, #i] ins(%v, %x : tensor<?xf32>, tensor<64xf32>)
      outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
