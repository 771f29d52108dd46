// RUN: astfe-opt %s --convert-astfe-to-gpu --allow-unregistered-dialect \
// RUN:   --verify-diagnostics

#n = affine_map<(n, i, j) -> (n)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered], target = gpu>
func.func @unknown(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                   %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #y]
      ins(%v : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{expected an op that PTX has instructions for}}
    %p = "test.twice"(%a) : (f32) -> f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
