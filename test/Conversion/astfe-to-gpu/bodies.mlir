// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// All of a body may be contracted, what is in regions too. Casts have no flags
// and get none.

#n = affine_map<(n, i, j) -> (n)>
#x = affine_map<(n, i, j) -> (j)>
#y = affine_map<(n, i, j) -> (i)>
#L = #astfe.layout<packed, columns = 32, classes = [scattered], target = gpu>

// CHECK-LABEL: gpu.func
// CHECK:         arith.extf %{{[a-z0-9_]*}} : f32 to f64
// CHECK:         arith.mulf %{{.*}} fastmath<contract> : f64
// CHECK:         scf.if
// CHECK:           arith.addf %{{.*}} fastmath<contract> : f32
func.func @casts(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                 %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #x, #y]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.extf %b : f32 to f64
    %s = arith.mulf %e, %e : f64
    %t = arith.truncf %s : f64 to f32
    %p = arith.mulf %a, %t : f32
    %less = arith.cmpf olt, %a, %b : f32
    %q = scf.if %less -> f32 {
      %u = arith.addf %p, %a : f32
      scf.yield %u : f32
    } else {
      scf.yield %p : f32
    }
    astfe.yield "addf" %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
