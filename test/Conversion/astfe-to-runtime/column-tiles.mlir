// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s

// Of the warps of a GPU each tile of columns that is worked on at the same time
// has a part.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                posWidth = 32, crdWidth = 32}>
#gpu = #astfe.layout<packed, columns = 32, classes = [row_segments],
                     target = gpu>

// CHECK-LABEL: func.func @tiles(
// CHECK:         %[[ALL:.*]] = {{.*}}call @astfe_rt_device_workers()
// CHECK:         %[[TILES:.*]] = arith.constant 4 : i64
// CHECK:         %[[X:.*]] = arith.constant 0 : i64
// CHECK:         %[[TOGETHER:.*]] = {{.*}}call @astfe_rt_grid(%[[ALL]], %[[TILES]], %[[X]])
// CHECK:         %[[EACH:.*]] = arith.divui %[[ALL]], %[[TOGETHER]]
// CHECK:         %[[WORKERS:.*]] = arith.maxui %[[EACH]]
// CHECK:         call @astfe_rt_pack_p32c32({{.*}}%[[WORKERS]])
func.func @tiles(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #gpu> {
  %P = astfe.pack %A by %g {astfe.column_tiles = 4 : i64}
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #gpu>
  return %P : !astfe.blocked<?x?, #gpu>
}
