// RUN: astfe-opt %s --convert-astfe-to-scf --canonicalize --cse | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf=fma=false --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=EXACT
// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=32 --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=NARROW

// A view: no runtime call, four vectors of accumulators and a fifth for what is
// left of 70 columns: eight lanes, which end at the last column and overlap the
// fourth by two.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#view = #astfe.layout<view>
#n = affine_map<(n, i, j, k) -> (n)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
#ik = affine_map<(n, i, j, k) -> (i, k)>

// CHECK-NOT:   func.call
// CHECK-LABEL: func.func @spmm(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, {{.*}}>, %[[B:[^:]*]]: tensor<?x70xf32>, %[[C:[^:]*]]: tensor<?x70xf32>
// CHECK-DAG:     %[[VAL:.*]] = sparse_tensor.values %[[A]]
// CHECK-DAG:     %[[POS:.*]] = sparse_tensor.positions %[[A]]
// CHECK-DAG:     %[[CRD:.*]] = sparse_tensor.coordinates %[[A]]
// CHECK-DAG:     %[[IN:.*]] = bufferization.to_buffer %[[B]] read_only
// CHECK-DAG:     %[[CBUF:.*]] = bufferization.to_buffer %[[C]] :
// CHECK-DAG:     %[[OUT:.*]] = memref.assume_alignment %[[CBUF]], 4
// CHECK:         scf.parallel
// CHECK:           scf.while
// CHECK:           scf.while
// CHECK:           ^bb0(%[[ROW:[^:]*]]: index, %{{[^:]*}}: index):
// CHECK-NOT:         mask
// CHECK:             %[[SUMS:.*]]:5 = scf.for %[[N:.*]] = {{.*}} iter_args
// CHECK:               %[[J32:.*]] = memref.load %[[CRD]][%[[N]]]
// CHECK:               %[[J:.*]] = arith.index_castui %[[J32]]
// CHECK:               %[[X:.*]] = memref.load %[[VAL]][%[[N]]]
// CHECK:               %[[ROWB:.*]] = vector.load %[[IN]][%[[J]], %{{.*}}] : memref<?x70xf32>, vector<16xf32>
// CHECK:               %[[S:.*]] = vector.broadcast %[[X]] : f32 to vector<16xf32>
// CHECK:               arith.mulf %[[S]], %[[ROWB]] fastmath<contract>
// CHECK:               vector.load %[[IN]][%[[J]], %c62] : memref<?x70xf32>, vector<8xf32>
// CHECK:               scf.yield
// CHECK-COUNT-4:     vector.load %[[OUT]][%[[ROW]], {{.*}} : memref<?x70xf32>, vector<16xf32>
// CHECK:             vector.load %[[OUT]][%[[ROW]], %c62] : memref<?x70xf32>, vector<8xf32>
// CHECK-COUNT-4:     vector.store {{.*}}, %[[OUT]][%[[ROW]], {{.*}} : memref<?x70xf32>, vector<16xf32>
// CHECK:             vector.store {{.*}}, %[[OUT]][%[[ROW]], %c62] : memref<?x70xf32>, vector<8xf32>
// CHECK-NOT:         mask
// CHECK:         bufferization.to_tensor %[[CBUF]] restrict writable

// EXACT-NOT: fastmath

// NARROW-NOT: vector<16xf32>
// NARROW:     vector<8xf32>
func.func @spmm(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x70xf32>,
                %C: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #view> maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xf32>, tensor<?x70xf32>)
      outs(%C : tensor<?x70xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x70xf32>
  return %r : tensor<?x70xf32>
}
