// RUN: astfe-opt %s --astfe-unfuse-computes --verify-diagnostics

#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
!P = !astfe.blocked<4x8, #astfe.layout<view>>

func.func @f(%P: !P, %v: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected tensors over a pattern that astfe.pack makes in the same function, to be inlined}}
  %r = astfe.fused over %p = %P : !P ins(%a = %v : tensor<?xf32>)
      outs(%o = %y : tensor<4xf32>) {
    %t = astfe.compute over %p : !P maps [#n, #i]
        ins(%a : tensor<?xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%t: f32):
      astfe.yield "addf" %t : f32
    } -> tensor<4xf32>
    astfe.return %t : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
