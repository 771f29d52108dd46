// RUN: astfe-opt %s --astfe-split-inspector --verify-diagnostics

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered, dense_tile]>

func.func private @f_run()

// expected-error @below {{expected the name 'f_run' to be free}}
func.func @f(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>) -> tensor<?xf32> {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
