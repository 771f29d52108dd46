// RUN: astfe-opt %s --verify-roundtrip | FileCheck %s
// RUN: astfe-opt %s --mlir-print-op-generic | astfe-opt | FileCheck %s
// RUN: astfe-opt %s --emit-bytecode | astfe-opt | FileCheck %s
// RUN: astfe-opt %s --cse | FileCheck %s

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#nx = affine_map<(n, i, j, x) -> (n)>
#ix = affine_map<(n, i, j, x) -> (i, x)>
#jx = affine_map<(n, i, j, x) -> (j, x)>
#kx = affine_map<(k, x) -> (k, x)>
#k = affine_map<(k, x) -> (k)>
#x = affine_map<(k, x) -> (x)>
#view = #astfe.layout<view>
!P = !astfe.blocked<?x?, #view>

// CHECK-LABEL: func.func @attention
// CHECK-SAME:    %[[P:.*]]: !astfe.blocked
func.func @attention(%P: !P, %A: tensor<?xf32>, %Q: tensor<?x64xf32>,
                     %K: tensor<?x64xf32>, %V: tensor<?x64xf32>,
                     %O: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // CHECK: %[[R:.*]] = astfe.fused over %[[PP:.*]] = %[[P]] : !astfe.blocked<?x?, #view>
  // CHECK-NEXT: ins(%[[MASK:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}, %[[V:.*]] = %{{.*}} : tensor<?xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
  // CHECK-NEXT: outs(%[[O:.*]] = %{{.*}} : tensor<?x64xf32>) {
  %r = astfe.fused over %p = %P : !P
      ins(%a = %A, %q = %Q, %k = %K, %v = %V : tensor<?xf32>, tensor<?x64xf32>,
          tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%o = %O : tensor<?x64xf32>) {
    // CHECK-NEXT: %[[S0:.*]] = astfe.local over %[[PP]] at #{{.*}} : !astfe.blocked<?x?, #view> -> tensor<?xf32>
    %s0 = astfe.local over %p at #n : !P -> tensor<?xf32>
    // CHECK-NEXT: %[[S:.*]] = astfe.compute over %[[PP]]
    // CHECK-NEXT: ins(%[[MASK]], %[[Q]], %[[K]] {{.*}} outs(%[[S0]] : tensor<?xf32>) overwrite
    %s = astfe.compute over %p : !P maps [#nx, #ix, #jx, #nx]
        ins(%a, %q, %k : tensor<?xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%s0 : tensor<?xf32>) overwrite {
    ^bb0(%w: f32, %x: f32, %y: f32):
      %xy = arith.mulf %x, %y : f32
      %t = arith.mulf %w, %xy : f32
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    // Two locals are two.
    // CHECK: %[[M0:.*]] = astfe.local over %[[PP]]
    %m0 = astfe.local over %p at #i : !P -> tensor<?xf32>
    %m = astfe.compute over %p : !P maps [#n, #i]
        ins(%s : tensor<?xf32>) outs(%m0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "maximumf" %t : f32
    } -> tensor<?xf32>
    // CHECK: %[[E0:.*]] = astfe.local over %[[PP]]
    %e0 = astfe.local over %p at #n : !P -> tensor<?xf32>
    // CHECK: outs(%[[E0]]
    %e = astfe.compute over %p : !P maps [#n, #i, #n]
        ins(%s, %m : tensor<?xf32>, tensor<?xf32>)
        outs(%e0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32, %u: f32):
      %d = arith.subf %t, %u : f32
      %z = math.exp %d : f32
      astfe.yield "addf" %z : f32
    } -> tensor<?xf32>
    // CHECK: %[[L0:.*]] = astfe.local over %[[PP]]
    %l0 = astfe.local over %p at #i : !P -> tensor<?xf32>
    // CHECK: outs(%[[L0]]
    %l = astfe.compute over %p : !P maps [#n, #i]
        ins(%e : tensor<?xf32>) outs(%l0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<?xf32>
    %p0 = astfe.local over %p at #n : !P -> tensor<?xf32>
    %p1 = astfe.compute over %p : !P maps [#n, #i, #n]
        ins(%e, %l : tensor<?xf32>, tensor<?xf32>)
        outs(%p0 : tensor<?xf32>) overwrite {
    ^bb0(%t: f32, %u: f32):
      %z = arith.divf %t, %u : f32
      astfe.yield "addf" %z : f32
    } -> tensor<?xf32>
    // CHECK: ins(%{{.*}}, %[[V]] {{.*}} outs(%[[O]] : tensor<?x64xf32>) {
    %o1 = astfe.compute over %p : !P maps [#nx, #jx, #ix]
        ins(%p1, %v : tensor<?xf32>, tensor<?x64xf32>)
        outs(%o : tensor<?x64xf32>) {
    ^bb0(%t: f32, %x: f32):
      %y = arith.mulf %t, %x : f32
      astfe.yield "addf" %y : f32
    } -> tensor<?x64xf32>
    // CHECK: astfe.return %{{.*}} : tensor<?x64xf32>
    astfe.return %o1 : tensor<?x64xf32>
  // CHECK-NEXT: } -> tensor<?x64xf32>
  } -> tensor<?x64xf32>
  // CHECK: return %[[R]]
  return %r : tensor<?x64xf32>
}

// A product with a bias and an activation: an epilogue, run once for each row.
// CHECK-LABEL: func.func @bias
func.func @bias(%P: !P, %A: tensor<?xf32>, %B: tensor<?x32xf32>,
                %b: tensor<32xf32>, %C: tensor<?x32xf32>, %least: f32)
    -> tensor<?x32xf32> {
  // CHECK: astfe.fused over
  // CHECK-NEXT: ins({{.*}} : tensor<?xf32>, tensor<?x32xf32>, tensor<32xf32>, f32)
  %r = astfe.fused over %p = %P : !P
      ins(%a = %A, %d = %B, %c = %b, %f = %least
          : tensor<?xf32>, tensor<?x32xf32>, tensor<32xf32>, f32)
      outs(%o = %C : tensor<?x32xf32>) {
    %o1 = astfe.compute over %p : !P maps [#nx, #jx, #ix]
        ins(%a, %d : tensor<?xf32>, tensor<?x32xf32>)
        outs(%o : tensor<?x32xf32>) overwrite {
    ^bb0(%t: f32, %x: f32):
      %y = arith.mulf %t, %x : f32
      astfe.yield "addf" %y : f32
    } -> tensor<?x32xf32>
    // CHECK: linalg.generic
    %o2 = linalg.generic {indexing_maps = [#x, #kx],
                          iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<32xf32>) outs(%o1 : tensor<?x32xf32>) {
    ^bb0(%t: f32, %x: f32):
      %y = arith.addf %x, %t : f32
      %z = arith.maximumf %y, %f : f32
      linalg.yield %z : f32
    } -> tensor<?x32xf32>
    astfe.return %o2 : tensor<?x32xf32>
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// On buffers, by columns, with a local that has dense extents.
// CHECK-LABEL: func.func @buffers
func.func @buffers(%P: !P, %A: memref<?xf32>, %G: memref<?x?xf32>,
                   %D: memref<?x?xf32>, %width: index) {
  // CHECK: astfe.fused over
  // CHECK-NEXT: ins({{.*}} : memref<?xf32>, memref<?x?xf32>, index)
  // CHECK-NEXT: outs({{.*}} : memref<?x?xf32>) {
  astfe.fused over %p = %P : !P
      ins(%a = %A, %g = %G, %w = %width : memref<?xf32>, memref<?x?xf32>, index)
      outs(%o = %D : memref<?x?xf32>) {
    // CHECK: astfe.local over %{{.*}}[%{{.*}}] at #{{.*}} : !astfe.blocked<?x?, #view> -> memref<?x?xf32>
    %t0 = astfe.local over %p [%w] at #jx : !P -> memref<?x?xf32>
    astfe.compute over %p : !P maps [#nx, #ix, #jx]
        ins(%a, %g : memref<?xf32>, memref<?x?xf32>)
        outs(%t0 : memref<?x?xf32>) overwrite {
    ^bb0(%t: f32, %x: f32):
      %y = arith.mulf %t, %x : f32
      astfe.yield "addf" %y : f32
    }
    linalg.generic {indexing_maps = [#kx, #kx],
                    iterator_types = ["parallel", "parallel"]}
        ins(%t0 : memref<?x?xf32>) outs(%o : memref<?x?xf32>) {
    ^bb0(%t: f32, %x: f32):
      %y = arith.addf %x, %t : f32
      linalg.yield %y : f32
    }
    // CHECK-NOT: astfe.return
  }
  return
}
