// RUN: astfe-opt %s --convert-astfe-to-runtime | FileCheck %s
// RUN: astfe-opt %s --astfe-to-cpu | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=TEXT

// Pack is handed its whole layout as one text, which equal layouts share. The
// workers of a GPU's are those of the device.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 64
}>
#host = #astfe.layout<packed, columns = 32, classes = [scattered, row_windows],
                      window = 192, dense_bytes = 1099511627776>
#gpu = #astfe.layout<packed, columns = 16, classes = [row_segments, scattered],
                     target = gpu, column_tile = 64, deterministic>

// TEXT-DAG: @astfe_layout = private constant [{{.*}} x i8] c"{\22storage\22:\22packed\22,\22target\22:\22host\22,\22column_bits\22:32,\22classes\22:[\22scattered\22,\22row_windows\22],\22deterministic\22:false,\22assume_finite\22:false,\22window\22:192,\22dense_bytes\22:1099511627776,\22column_tile\22:128}"
// TEXT-DAG: @astfe_layout_1 = private constant [{{.*}} x i8] c"{\22storage\22:\22packed\22,\22target\22:\22gpu\22,\22column_bits\22:16,\22classes\22:[\22row_segments\22,\22scattered\22],\22deterministic\22:true,\22assume_finite\22:false,\22window\22:96,\22dense_bytes\22:0,\22column_tile\22:64}"
// TEXT-NOT: @astfe_layout_2

// CHECK-LABEL: func.func @host(
// CHECK:         %[[GLOBAL:.*]] = memref.get_global @astfe_layout :
// CHECK:         %[[LAYOUT:.*]] = memref.cast %[[GLOBAL]]
// CHECK:         %[[SETTING:.*]] = arith.constant 0 : i64
// CHECK:         call @astfe_rt_pack_p32c64({{.*}}, %{{.*}}, %[[LAYOUT]], %[[SETTING]], %{{.*}})
func.func @host(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #host> {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #host>
  return %P : !astfe.blocked<?x?, #host>
}

// CHECK-LABEL: func.func @gpu(
// CHECK:         memref.get_global @astfe_layout_1 :
// CHECK:         %[[WARPS:.*]] = call @astfe_rt_device_workers()
// CHECK:         %[[TILES:.*]] = arith.constant 1 : i64
// CHECK:         call @astfe_rt_pack_p32c64({{.*}}, %[[WARPS]], %[[TILES]])
func.func @gpu(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #gpu> {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #gpu>
  return %P : !astfe.blocked<?x?, #gpu>
}

// CHECK-LABEL: func.func @again(
// CHECK:         memref.get_global @astfe_layout :
func.func @again(%A: tensor<?x?xf32, #CSR>, %g: !astfe.graph<?x?>)
    -> !astfe.blocked<?x?, #host> {
  %P = astfe.pack %A by %g
    : tensor<?x?xf32, #CSR>, !astfe.graph<?x?> -> !astfe.blocked<?x?, #host>
  return %P : !astfe.blocked<?x?, #host>
}
