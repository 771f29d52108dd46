// RUN: astfe-opt %s > %t.before
// RUN: astfe-opt %s --astfe-unfuse-computes | diff %t.before -

// A computation that is not in a chain stays.

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

func.func @f(%P: !P, %v: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%t: f32):
    astfe.yield "addf" %t : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
