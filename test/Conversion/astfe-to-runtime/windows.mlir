// RUN: astfe-opt %s --convert-astfe-to-scf | FileCheck %s

// The columns of a window are bits of the flags: 192 << 8.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 64
}>
#L = #astfe.layout<packed, columns = 32, classes = [scattered, row_windows]>

// CHECK-LABEL: func.func @windows(
// CHECK:         %[[FLAGS:.*]] = arith.constant 49152 : i64
// CHECK:         call @astfe_rt_pack_p32c64({{.*}}, %[[FLAGS]], %{{[^,]*}})
func.func @windows(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #L> {
  %P = astfe.pack %A by %g {astfe.window_columns = 192 : i64}
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #L>
  return %P : !astfe.blocked<?x?, #L>
}
