// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Many dense columns go strip by strip, if the pattern asks for it: a worker
// walks its spans once for each. 513 columns end with a vector of one,
// which the last strip has. The width of a strip is a whole number of tiles.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @wide(
// CHECK-DAG:     %[[ALL:.*]] = arith.constant 513 : index
// CHECK-DAG:     %[[FULL:.*]] = arith.constant 512 : index
// CHECK-DAG:     %[[TILE:.*]] = arith.constant 128 : index
// CHECK:         %[[ASKED:.*]] = func.call @astfe_rt_strip_bytes(
// CHECK:         %[[WIDTH:.*]] = arith.select %{{.*}}, %[[ALL]], %{{.*}} : index
// CHECK:         scf.parallel
// CHECK:           scf.for %[[BEGIN:[^ ]*]] = %{{.*}} to %[[ALL]] step %[[WIDTH]] {
// CHECK:             %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[WIDTH]]
// CHECK:             %[[END:.*]] = arith.minui %[[NEXT]], %[[ALL]]
// CHECK:               case 0 {
// CHECK:                 %[[STOP:.*]] = arith.minui %[[END]], %[[FULL]]
// CHECK:                 scf.for %[[K:[^ ]*]] = %[[BEGIN]] to %[[STOP]] step %[[TILE]] {
// CHECK:                   %{{.*}}:8 = scf.for %[[N:[^ ]*]] =
// CHECK-COUNT-16:            vector.load {{.*}} vector<16xf32>
// CHECK:                 arith.cmpi eq, %[[END]], %[[ALL]]
// CHECK:                 scf.if
// CHECK-NOT:                 mask
// CHECK:                     vector.load {{.*}} : memref<?x513xf32>, vector<1xf32>
func.func @wide(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                %B: tensor<?x513xf32>, %C: tensor<?x513xf32>)
    -> tensor<?x513xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x513xf32>)
      outs(%C : tensor<?x513xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x513xf32>
  return %r : tensor<?x513xf32>
}

// -----

// One tile has no strips.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @one_tile(
// CHECK-NOT:     astfe_rt_strip_bytes
// CHECK:         return
func.func @one_tile(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                    %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// -----

// So has a number of columns that is not known.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#rows = #astfe.layout<packed, columns = 32, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @unknown(
// CHECK-NOT:     astfe_rt_strip_bytes
// CHECK:         return
func.func @unknown(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #rows>,
                   %B: tensor<?x?xf32>, %C: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #rows> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #rows>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x?xf32>)
      outs(%C : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
