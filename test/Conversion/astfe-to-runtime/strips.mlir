// RUN: astfe-opt %s --convert-astfe-to-scf | FileCheck %s

// The bytes of a row of the dense operands are the bits of the flags from 32 on,
// above the columns of a window: 2048 << 32 | 192 << 8.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 64
}>
#L = #astfe.layout<packed, columns = 32, classes = [scattered, row_windows]>

// CHECK-LABEL: func.func @strips(
// CHECK:         %[[FLAGS:.*]] = arith.constant 8796093071360 : i64
// CHECK:         call @astfe_rt_pack_p32c64({{.*}}, %[[FLAGS]], %{{[^,]*}})
func.func @strips(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #L> {
  %P = astfe.pack %A by %g
    {astfe.window_columns = 192 : i64, astfe.dense_bytes = 2048 : i64}
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #L>
  return %P : !astfe.blocked<?x?, #L>
}

// What does not fit 31 bits is as much as does: 2147483647 << 32.

// CHECK-LABEL: func.func @widest(
// CHECK:         %[[FLAGS:.*]] = arith.constant 9223372032559808512 : i64
// CHECK:         call @astfe_rt_pack_p32c64({{.*}}, %[[FLAGS]], %{{[^,]*}})
func.func @widest(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #L> {
  %P = astfe.pack %A by %g {astfe.dense_bytes = 1099511627776 : i64}
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #L>
  return %P : !astfe.blocked<?x?, #L>
}
