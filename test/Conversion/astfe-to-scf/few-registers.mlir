// RUN: astfe-opt %s --convert-astfe-to-scf="vector-bytes=32 wide-masks=false" --canonicalize --cse --split-input-file | FileCheck %s

// Sixteen registers of 256 bits (AVX2), and what goes with them.

// Two rows on four vectors: their sums, four vectors of the operand and two
// elements stay in registers.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#stored = #astfe.layout<packed, columns = 16, classes = [scattered, row_tiles]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @tiles(
// CHECK:         %{{.*}}:8 = scf.for
// CHECK-COUNT-4:   vector.load {{.*}}, vector<8xf32>
// CHECK-NOT:       vector.load
// CHECK:           scf.yield
func.func @tiles(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #stored>,
                %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #stored> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #stored>
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

// Nonzeros come one by one into tiles of four vectors, and rows of 128 bytes are
// far from 512 KiB on.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#stored = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @narrow(
// CHECK-DAG:     %[[MOST:.*]] = arith.constant 524288 : index
// CHECK-DAG:     %[[ALLSAMPLES:.*]] = arith.constant 33554432 : index
// CHECK:         arith.cmpi ugt, %{{.*}}, %[[MOST]] : index
// CHECK:         arith.cmpi ugt, %{{.*}}, %[[ALLSAMPLES]] : index
// CHECK:         scf.parallel
// CHECK-NOT:       step %c2
// CHECK:           %{{.*}}:4 = scf.for {{.*}} step %c1 iter_args
// CHECK-NOT:       {{:.*}} = scf.for {{.*}} iter_args
// CHECK:         return
func.func @narrow(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #stored>,
                %B: tensor<?x32xf32>, %C: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #stored> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #stored>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

// Two vectors would be too few chains of multiply-adds: nonzeros come in pairs.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#stored = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @two(
// CHECK:         scf.parallel
// CHECK:           %{{.*}}:4 = scf.for {{.*}} step %c2 iter_args
// CHECK:           %{{.*}}:2 = scf.for {{.*}} step %c1 iter_args
func.func @two(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #stored>,
                %B: tensor<?x16xf32>, %C: tensor<?x16xf32>)
    -> tensor<?x16xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #stored> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #stored>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x16xf32>)
      outs(%C : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

// Rows of 2 KiB are far from 4 MiB on, as elsewhere; a strip is one tile of
// eight vectors where a pattern asks for 512 bytes.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#stored = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @strips(
// CHECK-DAG:     arith.constant 4194304 : index
// CHECK-NOT:     arith.constant 524288 : index
// CHECK:         %[[BYTES:.*]] = func.call @astfe_rt_strip_bytes(
// CHECK:         %[[ASKED:.*]] = arith.index_cast %[[BYTES]]
// CHECK:         %[[TILES:.*]] = arith.ceildivui %[[ASKED]], %c512
// CHECK:         arith.muli %[[TILES]], %c64
func.func @strips(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #stored>,
                %B: tensor<?x512xf32>, %C: tensor<?x512xf32>)
    -> tensor<?x512xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #stored> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #stored>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x512xf32>)
      outs(%C : tensor<?x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}

// -----

// Windows are copied in pieces of 256 bytes.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 0
}>
#stored = #astfe.layout<packed, columns = 16, classes = [scattered, row_windows]>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-LABEL: func.func @windows(
// CHECK:         memref.view {{.*}} to memref<192x64xf32>
// CHECK:         %{{.*}}:8 = scf.for {{.*}} step %c2 iter_args
func.func @windows(%A: tensor<?x?xf32, #CSR>, %P: !astfe.blocked<?x?, #stored>,
                %B: tensor<?x128xf32>, %C: tensor<?x128xf32>)
    -> tensor<?x128xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #stored> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #stored>
      maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x128xf32>)
      outs(%C : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
