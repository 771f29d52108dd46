// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s

// The runtime is told of the tiles of columns, each of which has a part of the
// warps.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
#gpu = #astfe.layout<packed, columns = 32, classes = [row_segments],
                     target = gpu>

// CHECK-LABEL: func.func @tiles(
// CHECK:         %[[ALL:.*]] = {{.*}}call @astfe_rt_device_workers()
// CHECK:         %[[TILES:.*]] = arith.constant 4 : i64
// CHECK:         call @astfe_rt_pack_p32c32({{.*}}, %[[ALL]], %[[TILES]])
func.func @tiles(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #gpu> {
  %P = astfe.pack %A by %g {astfe.column_tiles = 4 : i64}
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #gpu>
  return %P : !astfe.blocked<?x?, #gpu>
}
