// RUN: astfe-opt %s --astfe-refine="workers=5 waves=3 min=9 steps=2" | FileCheck %s
// RUN: astfe-opt %s --astfe-refine=steps=1 --astfe-refine=steps=1 | FileCheck %s --check-prefix=TWICE

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// CHECK: astfe.refine %{{.*}} by %{{.*}} workers = 5 waves = 3 min = 9 steps = 2 :

// A second run adds a second step.

// TWICE:      %[[G1:.*]] = astfe.refine %{{.*}} by %{{.*}} steps = 1
// TWICE-NEXT: %[[G2:.*]] = astfe.refine %[[G1]] by %{{.*}} steps = 1
// TWICE-NEXT: astfe.pack %{{.*}} by %[[G2]]
func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
