// RUN: astfe-opt %s --astfe-fuse-computes --split-input-file | FileCheck %s
// RUN: astfe-opt %s --astfe-fuse-computes --split-input-file --remarks-filter='.*fuse.*' --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#n = affine_map<(n, i, j) -> (n)>
#j = affine_map<(n, i, j) -> (j)>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// A scaled matrix and the product with it, each over the view of its own tensor.

// CHECK-LABEL: @scaled_product
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{.*}}>, %[[X:[^:]*]]: tensor<?xf32>, %[[B:[^:]*]]: tensor<?x32xf32>, %[[C:[^:]*]]: tensor<?x32xf32>
// CHECK:         %[[P:.*]] = astfe.pack %[[A]]
// CHECK:         %[[V:.*]] = astfe.values %[[A]] in %[[P]]
// CHECK-NOT:     astfe.unpack
// CHECK:         %[[R:.*]] = astfe.fused over %[[PP:.*]] = %[[P]]
// CHECK-NEXT:      ins(%[[VV:.*]] = %[[V]], %[[XX:.*]] = %[[X]], %[[BB:.*]] = %[[B]]
// CHECK-NEXT:      outs(%[[O:.*]] = %[[C]] : tensor<?x32xf32>) {
// CHECK-NEXT:      %[[S0:.*]] = astfe.local over %[[PP]] at #{{.*}} -> tensor<?xf32>
// CHECK-NEXT:      %[[S:.*]] = astfe.compute over %[[PP]]
// CHECK-NEXT:        ins(%[[VV]], %[[XX]] : tensor<?xf32>, tensor<?xf32>) outs(%[[S0]] : tensor<?xf32>) overwrite
// CHECK:           %[[T:.*]] = astfe.compute over %[[PP]]
// CHECK-NEXT:        ins(%[[S]], %[[BB]] : tensor<?xf32>, tensor<?x32xf32>) outs(%[[O]] : tensor<?x32xf32>) {
// CHECK:           astfe.return %[[T]]
// CHECK:         return %[[R]]

// REMARK: [Passed] fused | Category:astfe-fuse-computes | Function=scaled_product | bytes-saved-per-key=0, bytes-saved-per-nonzero=8, computations=2, epilogues=0
func.func @scaled_product(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                          %B: tensor<?x32xf32>, %C: tensor<?x32xf32>)
    -> tensor<?x32xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %count = tensor.dim %v, %c0 : tensor<?xf32>
  %s0 = tensor.empty(%count) : tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #j, #n]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%s0 : tensor<?xf32>)
      overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %S = astfe.unpack %s in %P like %A
    : tensor<?xf32>, !P, tensor<?x?xf32, #CSR>
  %Q = astfe.pack %S : tensor<?x?xf32, #CSR> -> !P
  %t = astfe.values %S in %Q : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %Q : !P maps [#nx, #jx, #ix]
      ins(%t, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
#kx = affine_map<(k, x) -> (k, x)>
#x = affine_map<(k, x) -> (x)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// Bias and activation follow in place, which is where they are written.

// CHECK-LABEL: @bias
// CHECK-SAME:    %[[A:[^:]*]]: tensor<?x?xf32, #{{.*}}>, %[[B:[^:]*]]: tensor<?x32xf32>, %[[BIAS:[^:]*]]: tensor<32xf32>, %[[C:[^:]*]]: tensor<?x32xf32>, %[[D:[^:]*]]: tensor<?x32xf32>
// CHECK:         astfe.fused over
// CHECK-NEXT:      ins(%{{.*}}, %[[BB:.*]] = %[[B]], %[[BIAS1:.*]] = %[[BIAS]] : tensor<?xf32>, tensor<?x32xf32>, tensor<32xf32>)
// CHECK-NEXT:      outs(%[[O:.*]] = %[[D]] : tensor<?x32xf32>) {
// CHECK:           %[[T:.*]] = astfe.compute
// CHECK-NEXT:        ins({{.*}}) outs(%[[O]] : tensor<?x32xf32>) overwrite
// CHECK:           %[[ZERO:.*]] = arith.constant 0.0
// CHECK:           %[[U:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[BIAS1]] : tensor<32xf32>) outs(%[[T]] : tensor<?x32xf32>)
// CHECK-NEXT:      ^bb0(%[[BI:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[OUT]], %[[BI]] : f32
// CHECK-NEXT:        arith.maximumf %[[SUM]], %[[ZERO]]
// CHECK:           astfe.return %[[U]]

// REMARK: fused | Category:astfe-fuse-computes | Function=bias | bytes-saved-per-key=256, bytes-saved-per-nonzero=0, computations=1, epilogues=1
func.func @bias(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x32xf32>,
                %bias: tensor<32xf32>, %C: tensor<?x32xf32>,
                %D: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#nx, #jx, #ix]
      ins(%v, %B : tensor<?xf32>, tensor<?x32xf32>)
      outs(%C : tensor<?x32xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x32xf32>
  %s = linalg.generic {indexing_maps = [#kx, #x, #kx],
                       iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<?x32xf32>, tensor<32xf32>)
      outs(%D : tensor<?x32xf32>) {
  ^bb0(%c: f32, %b: f32, %out: f32):
    %y = arith.addf %c, %b : f32
    %z = arith.maximumf %y, %zero : f32
    linalg.yield %z : f32
  } -> tensor<?x32xf32>
  return %s : tensor<?x32xf32>
}
