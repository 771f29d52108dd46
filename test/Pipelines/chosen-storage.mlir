// RUN: astfe-opt %s --astfe-to-cpu="storage=auto" --mlir-print-ir-after=astfe-free-temporaries -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier=expected-runs=100000 | FileCheck %s --check-prefix=CHOSEN
// RUN: astfe-opt %s --astfe-sparsifier="expected-runs=100000 storage=packed" | FileCheck %s --check-prefix=PACKED
// RUN: astfe-opt %s --astfe-sparsifier | FileCheck %s --check-prefix=VIEW
// RUN: not astfe-opt %s --astfe-to-ptx=storage=auto 2>&1 | FileCheck %s --check-prefix=GPU

// CHOSEN:     call @astfe_rt_pack_unless_stored_p64c64
// CHOSEN:     call @astfe_rt_is_stored
// PACKED-NOT: stored
// PACKED:     call @astfe_rt_pack_p64c64
// PACKED-NOT: stored
// VIEW-NOT:   astfe_rt
// GPU:        expected a 'storage' for a GPU that is not left to the run time but got 'auto'

// Where the run time chooses the storage, a loop has the buffers that it has with
// packed storage: one of each trip, which both forms of the product write, and
// which is freed.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: func.func @power(
// CHECK:         scf.for
// CHECK:           %[[E:.*]] = memref.alloc
// CHECK:           scf.if %{{.*}} {
// CHECK:             outs(%[[E]] :
// CHECK:           } else {
// CHECK:             outs(%[[E]] :
// CHECK:           memref.copy %[[E]],
// CHECK-NEXT:      memref.dealloc %[[E]]
func.func @power(%A: tensor<?x?xf32, #CSR>, %x0: tensor<?x8xf32>, %n: index)
    -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %A, %c0 : tensor<?x?xf32, #CSR>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%x = %x0) -> (tensor<?x8xf32>) {
    %e = tensor.empty(%rows) : tensor<?x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
    %y = linalg.matmul ins(%A, %x : tensor<?x?xf32, #CSR>, tensor<?x8xf32>)
                       outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
