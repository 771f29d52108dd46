// RUN: astfe-opt %s --convert-astfe-to-scf=vector-bytes=64 --canonicalize --cse | FileCheck %s
// RUN: astfe-opt %s --convert-astfe-to-scf="vector-bytes=64 serial=true" --canonicalize --cse | FileCheck %s --check-prefix=SERIAL

// A product with a transposed matrix: parts of the output's rows, as many as threads
// run where each has enough to do, or pieces with sums of their own. In turn nothing is
// allocated, nobody asks for threads, and rows are not looked into.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32
}>
#n = affine_map<(n, i, j, k) -> (n)>
#ik = affine_map<(n, i, j, k) -> (i, k)>
#jk = affine_map<(n, i, j, k) -> (j, k)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>

// CHECK-DAG:   func.func private @omp_get_max_threads() -> i32
// CHECK-DAG:   func.func private @omp_get_num_procs() -> i32
// CHECK-LABEL: func.func @transposed(
// Columns of an output side by side may be pieces: two with four nonzeros for each row and
// sums that are near, four with 16, eight with 64.
// CHECK:         %[[FOUR:.*]] = arith.muli %[[ROWS:.*]], %c4 : index
// CHECK:         %[[MEAN:.*]] = arith.cmpi ule, %[[FOUR]], %{{.*}} : index
// CHECK:         %[[LONG:.*]] = arith.andi %[[MEAN]], %{{.*}} : i1
// CHECK:         %[[ALL:.*]] = arith.muli %[[ROWS]], %c128 : index
// CHECK:         %[[NEAR:.*]] = arith.cmpi ule, %[[ALL]], %c2097152
// CHECK:         %[[ENOUGH:.*]] = arith.andi %[[LONG]], %[[NEAR]]
// CHECK:         arith.select %[[ENOUGH]], %c2, %c1
// CHECK:         arith.muli %[[ROWS]], %c16 : index
// CHECK:         %[[ALL4:.*]] = arith.muli %[[ROWS]], %c256 : index
// CHECK:         %[[NEAR4:.*]] = arith.cmpi ule, %[[ALL4]], %c2097152
// CHECK:         %[[ENOUGH4:.*]] = arith.andi %{{.*}}, %[[NEAR4]]
// CHECK:         arith.select %[[ENOUGH4]], %c4, %{{.*}} : index
// CHECK:         %[[ALL8:.*]] = arith.muli %[[ROWS]], %c512 : index
// CHECK:         %[[NEAR8:.*]] = arith.cmpi ule, %[[ALL8]], %c2097152
// CHECK:         %[[ENOUGH8:.*]] = arith.andi %{{.*}}, %[[NEAR8]]
// CHECK:         arith.select %[[ENOUGH8]], %c8, %{{.*}} : index
// CHECK:         scf.if
// CHECK:           %[[SUMS:.*]] = memref.alloc(%{{.*}}, %{{.*}}) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK:           scf.parallel
// CHECK:             memref.reinterpret_cast %[[SUMS]] to offset: [%{{.*}}], sizes: [%{{.*}}, 64], strides: [64, 1]
// CHECK:           scf.parallel
// CHECK:           memref.dealloc %[[SUMS]]
// CHECK:         } else {
// CHECK:           %[[T:.*]] = {{.*}}call @omp_get_max_threads()
// CHECK:           %[[THREADS:.*]] = arith.index_cast %[[T]]
// CHECK:           %[[P:.*]] = {{.*}}call @omp_get_num_procs()
// CHECK:           %[[PROCESSORS:.*]] = arith.index_cast %[[P]]
// CHECK:           %[[FREE:.*]] = arith.minui %[[THREADS]], %[[PROCESSORS]]
// CHECK:           %[[WORTH:.*]] = arith.minui %[[FREE]], %{{.*}}
// A part updates two MiB at least.
// CHECK:           %[[WOKEN:.*]] = arith.divui %{{.*}}, %c2097152
// CHECK:           %[[LEAST:.*]] = arith.maxui %[[WOKEN]], %c1
// CHECK:           %[[PARTS:.*]] = arith.minui %[[WORTH]], %[[LEAST]]
// CHECK:           %[[ONE:.*]] = arith.cmpi eq, %[[PARTS]], %c1
// CHECK:           scf.parallel (%{{.*}}) = (%c0) to (%[[PARTS]])
// One part takes rows as they are.
// CHECK:             scf.if %[[ONE]] {
// CHECK-NOT:           scf.while
// CHECK:             } else {
// Where others begin, from some nonzeros.
// CHECK:               memref.alloca() : memref<1022xindex>
// CHECK-DAG:           %[[BEGINS:.*]] = memref.alloca() : memref<256xindex>
// CHECK-DAG:           %[[ENDS:.*]] = memref.alloca() : memref<256xindex>
// A part is cleared as one vector, then rows are looked into.
// CHECK:               vector.store %{{.*}} : memref<?xf32>, vector<16xf32>
// CHECK:               memref.store %{{.*}} : memref<?xf32>
// CHECK:               scf.while
// CHECK:               vector.maskedload
// CHECK:               vector.reduction <add>
// CHECK-DAG:           memref.store %{{.*}}, %[[BEGINS]]
// CHECK-DAG:           memref.store %{{.*}}, %[[ENDS]]
// Far rows of the output are asked for; a row of B is loaded once for all nonzeros.
// CHECK:               scf.if
// CHECK-COUNT-4:         memref.prefetch {{.*}} write
// CHECK:               } else {
// CHECK-NOT:             memref.prefetch
// CHECK-COUNT-4:         vector.load %{{.*}} : memref<?x64xf32>, vector<16xf32>
// CHECK:                 scf.for
// CHECK-COUNT-4:           vector.load %{{.*}} : memref<?x64xf32>, vector<16xf32>
// CHECK-NOT:               vector.load
// CHECK-COUNT-4:           vector.store

// SERIAL-LABEL: func.func @transposed(
// SERIAL-NOT:     alloc
// SERIAL-NOT:     call
// SERIAL-NOT:     scf.parallel
// SERIAL-NOT:     maskedload
// SERIAL:         return
func.func @transposed(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x64xf32>,
                      %C: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #CSR>, !P -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #ik, #jk]
      ins(%v, %B : tensor<?xf32>, tensor<?x64xf32>) outs(%C : tensor<?x64xf32>)
      overwrite {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
