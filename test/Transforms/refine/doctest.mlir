// RUN: astfe-opt %s --astfe-refine="threshold=0.66 min=16" | FileCheck %s

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

// CHECK-LABEL: func.func @f(
// CHECK:         %[[H:.*]] = astfe.profile
// CHECK:         %[[G0:.*]] = astfe.partition %[[H]]
// CHECK:         %[[G1:.*]] = astfe.refine %[[G0]] by %[[H]] threshold = 6.600000e-01 min = 16 : !astfe.graph<?x?>, !astfe.profile<?x?>
// CHECK:         astfe.pack %{{.*}} by %[[G1]]
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
