// RUN: astfe-opt %s --astfe-fuse="threshold=0.75 workers=5 waves=3 cache=4096" | FileCheck %s
// RUN: astfe-opt %s --astfe-fuse | FileCheck %s --check-prefix=TYPES
// RUN: sed 's/x48x/x?x/g' %s | astfe-opt --astfe-fuse=columns=100 | FileCheck %s --check-prefix=ASSUMED
// RUN: astfe-opt %s --astfe-fuse=columns=100 | FileCheck %s --check-prefix=TYPES

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>
#n = affine_map<(n, i, k, j) -> (n)>
#kj = affine_map<(n, i, k, j) -> (k, j)>
#ij = affine_map<(n, i, k, j) -> (i, j)>

// CHECK: astfe.fuse %{{.*}} by %{{.*}} threshold = 7.500000e-01 workers = 5 waves = 3 cache = 4096 columns = 48 element_bytes = 8 :

// Columns and the size of elements are read from the types; the option says
// what to assume of `?`.

// ASSUMED: astfe.fuse %{{.*}} by %{{.*}} columns = 100 element_bytes = 8 :

// TYPES: astfe.fuse %{{.*}} by %{{.*}} columns = 48 element_bytes = 8 :
func.func @f(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x48xf64>,
             %C: tensor<?x48xf64>) -> tensor<?x48xf64> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf64, #CSR> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g
    : tensor<?x?xf64, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf64, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf64>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack> maps [#n, #kj, #ij]
      ins(%v, %B : tensor<?xf64>, tensor<?x48xf64>)
      outs(%C : tensor<?x48xf64>) {
  ^bb0(%a: f64, %b: f64):
    %p = arith.mulf %a, %b : f64
    astfe.yield "addf" %p : f64
  } -> tensor<?x48xf64>
  return %r : tensor<?x48xf64>
}
