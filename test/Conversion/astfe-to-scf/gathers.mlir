// RUN: astfe-opt %s --convert-astfe-to-scf=fast-gathers=true --canonicalize --cse --split-input-file | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf --split-input-file | FileCheck %s --check-prefix=LOADS

// One column where gathers are fast: all rows are gathered if they have eight
// nonzeros on average, else those that have. Columns are signed there, so that
// no row is gathered from more than 2^31 elements.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// LOADS-LABEL: func.func @view(
// LOADS-NOT:     vector.gather
// LOADS:         return

// CHECK-LABEL: func.func @view(
// CHECK-DAG:     %[[HALF:.*]] = arith.constant 2147483648 : index
// CHECK-DAG:     %[[NEVER:.*]] = arith.constant 9223372036854775807 : index
// CHECK:         %[[SOME:.*]] = arith.muli %{{.*}}, %c8 : index
// CHECK:         %[[LONG:.*]] = arith.cmpi uge, %{{.*}}, %[[SOME]] : index
// CHECK:         %[[LEAST:.*]] = arith.select %[[LONG]], %c0, %c8 : index
// CHECK:         %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %[[HALF]] : index
// CHECK:         %[[GATHERED:.*]] = arith.select %[[FITS]], %[[LEAST]], %[[NEVER]] : index
// CHECK:         %[[FILLS:.*]] = arith.cmpi uge, %[[LENGTH:.*]], %[[GATHERED]] : index
// CHECK:         scf.if %[[FILLS]]
// CHECK:           arith.cmpi uge, %[[LENGTH]], %c64 : index
// CHECK:           scf.for {{.*}} step %c32
// CHECK-COUNT-2:     vector.gather %{{.*}}[%c0] [%{{.*}}], %cst{{.*}} : memref<?xf32>, vector<16xi32>
// CHECK:           scf.for {{.*}} step %c16
// CHECK:             %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<16xi1>
// CHECK:             %[[COLUMNS:.*]] = vector.maskedload {{.*}} %[[MASK]]
// CHECK:             vector.maskedload {{.*}} %[[MASK]]
// CHECK:             vector.gather %{{.*}}[%c0] [%[[COLUMNS]]], %[[MASK]]
// CHECK:             arith.select %[[MASK]], %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
func.func @view(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                %y: tensor<?xf32>) -> tensor<?xf32> {
  %P = astfe.pack %A
    : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Slices: the columns of a step, of eight bits here, are counted from the
// span's first.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#slices = #astfe.layout<packed, columns = 8, classes = [scattered, row_slices]>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @slices(
// CHECK:         arith.extui %{{.*}} : vector<16xi8> to vector<16xi32>
// CHECK:         vector.gather %{{.*}}[%{{.*}}] [%{{.*}}], %{{.*}} : memref<?xf32>, vector<16xi32>
// CHECK:         %[[MASK:.*]] = arith.cmpi ugt, %{{.*}} : vector<16xi32>
// CHECK:         vector.gather %{{.*}}[%{{.*}}] [%{{.*}}], %[[MASK]]
func.func @slices(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #slices>,
                  %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #slices> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #slices>
      maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Half floats lie too close for gathers.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#i = affine_map<(n, i, j) -> (i)>

// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     vector.gather
// CHECK:         return
func.func @halves(%A: tensor<?x?xf16, #CSR>, %x: tensor<?xf16>,
                  %y: tensor<?xf16>) -> tensor<?xf16> {
  %P = astfe.pack %A
    : tensor<?x?xf16, #CSR> -> !astfe.blocked<?x?, #astfe.layout<view>>
  %v = astfe.values %A in %P
    : tensor<?x?xf16, #CSR>, !astfe.blocked<?x?, #astfe.layout<view>>
    -> tensor<?xf16>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #astfe.layout<view>>
      maps [#n, #j, #i]
      ins(%v, %x : tensor<?xf16>, tensor<?xf16>)
      outs(%y : tensor<?xf16>) {
  ^bb0(%a: f16, %b: f16):
    %p = arith.mulf %a, %b : f16
    astfe.yield "addf" %p : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}
