// RUN: astfe-opt %s --convert-astfe-to-scf="vector-bytes=64 serial=true" --canonicalize --cse | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// Two vectors of a row of B are one load, of which each has every second
// column; their sums are put in order behind the nonzeros.
// CHECK-LABEL: func.func @pairs(
// CHECK-NOT:     arith.extui {{.*}} vector
// CHECK:         %[[ROW:.*]] = vector.load %{{.*}} : memref<?x32xi16>, vector<32xi16>
// CHECK:         %[[WORDS:.*]] = vector.bitcast %[[ROW]] : vector<32xi16> to vector<16xi32>
// CHECK:         %[[FIRST:.*]] = arith.shli %[[WORDS]], %{{.*}} : vector<16xi32>
// CHECK:         %[[SECOND:.*]] = arith.andi %[[WORDS]], %{{.*}} : vector<16xi32>
// CHECK-DAG:     arith.bitcast %[[FIRST]] : vector<16xi32> to vector<16xf32>
// CHECK-DAG:     arith.bitcast %[[SECOND]] : vector<16xi32> to vector<16xf32>
// CHECK-NOT:     arith.extui {{.*}} vector
// CHECK:         vector.shuffle %[[A:.*]], %[[B:.*]] [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23] : vector<16xf32>, vector<16xf32>
// CHECK:         vector.shuffle %[[A]], %[[B]] [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31] : vector<16xf32>, vector<16xf32>
// CHECK:         return
func.func @pairs(%A: tensor<?x?xbf16, #CSR>, %B: tensor<?x32xbf16>,
                 %C: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  %P = astfe.pack %A : tensor<?x?xbf16, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xbf16, #CSR>, !P -> tensor<?xbf16>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xbf16>, tensor<?x32xbf16>)
      outs(%C : tensor<?x32xbf16>) overwrite {
  ^bb0(%a: bf16, %b: bf16):
    %p = arith.mulf %a, %b : bf16
    astfe.yield "addf" %p : bf16
  } -> tensor<?x32xbf16>
  return %r : tensor<?x32xbf16>
}

// Of three vectors the last is as it was, and so are those of another type or
// with other operands along the lanes.
// CHECK-LABEL: func.func @odd(
// CHECK:         vector.load %{{.*}} : memref<?x48xi16>, vector<32xi16>
// CHECK:         vector.load %{{.*}} : memref<?x48xi16>, vector<16xi16>
// CHECK:         arith.extui %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK:         vector.shuffle
// CHECK:         return
func.func @odd(%A: tensor<?x?xbf16, #CSR>, %B: tensor<?x48xbf16>,
               %C: tensor<?x48xbf16>) -> tensor<?x48xbf16> {
  %P = astfe.pack %A : tensor<?x?xbf16, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xbf16, #CSR>, !P -> tensor<?xbf16>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik]
      ins(%v, %B : tensor<?xbf16>, tensor<?x48xbf16>)
      outs(%C : tensor<?x48xbf16>) overwrite {
  ^bb0(%a: bf16, %b: bf16):
    %p = arith.mulf %a, %b : bf16
    astfe.yield "addf" %p : bf16
  } -> tensor<?x48xbf16>
  return %r : tensor<?x48xbf16>
}

// CHECK-LABEL: func.func @scaled(
// CHECK-NOT:     vector<32xi16>
// CHECK-NOT:     vector.shuffle
// CHECK:         return
func.func @scaled(%A: tensor<?x?xbf16, #CSR>, %B: tensor<?x32xbf16>,
                  %S: tensor<?x32xf32>, %C: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %P = astfe.pack %A : tensor<?x?xbf16, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xbf16, #CSR>, !P -> tensor<?xbf16>
  %r = astfe.compute over %P : !P maps [#n, #jk, #ik, #ik]
      ins(%v, %B, %S : tensor<?xbf16>, tensor<?x32xbf16>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) overwrite {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %s : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
