// RUN: %python %S/../../Tools/astfe-run/Inputs/attention.py pattern scale=0.125 width=32 > %t.mlir
// RUN: astfe-opt %t.mlir --astfe-to-cpu --mlir-print-ir-after=convert-astfe-to-scf -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %t.mlir --astfe-to-cpu=openmp=false --mlir-print-ir-after=convert-astfe-to-scf -o /dev/null 2>&1 | FileCheck %s --check-prefix=SERIAL

// SERIAL-NOT: scf.parallel
// SERIAL:     return

// Rows of 16384 nonzeros that are an eighth of all are left out of the runs, and
// cut into pieces of 2048: three steps for attention, each by all workers. What
// the pieces reduce is combined in order before the next step.

// CHECK-LABEL: func.func {{.*}}@attention
// CHECK:       %[[EIGHTH:.*]] = arith.ceildivui %{{.*}}, %c8
// CHECK:       %[[LEAST:.*]] = arith.maxui %[[EIGHTH]], %c16384
// CHECK:       %[[SOME:.*]] = arith.cmpi uge, %{{.*}}, %[[LEAST]]
// CHECK:       scf.parallel
// Threads have runs from all over the matrix where some rows are left out.
// CHECK:         %[[APART:.*]] = arith.muli %{{.*}}, %c683
// CHECK:         arith.select %[[SOME]], %{{.*}}, %{{.*}} : index
// CHECK:         arith.cmpi ult, %{{.*}}, %[[LEAST]]
// CHECK:       scf.if %[[SOME]] {
// CHECK-NEXT:    scf.for
// CHECK:           arith.cmpi uge, %{{.*}}, %[[LEAST]]
// CHECK:           %[[PIECES:.*]] = arith.ceildivui %{{.*}}, %c2048
// CHECK:           %[[MAXIMA:.*]] = memref.alloc(%[[PIECES]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK:           scf.parallel (%[[P:[^)]*]]) = (%{{.*}}) to (%[[PIECES]])
// CHECK:             memref.store %{{.*}}, %[[MAXIMA]][%[[P]]]
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[PIECES]]
// CHECK:             arith.maximumf
// CHECK:           %[[SUMS:.*]] = memref.alloc(%[[PIECES]])
// CHECK:           scf.parallel
// CHECK:             memref.store %{{.*}}, %[[SUMS]]
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[PIECES]]
// CHECK:             arith.addf
// CHECK:           %[[ROWS:.*]] = memref.alloc(%[[PIECES]]) {alignment = 64 : i64} : memref<?x64xf32>
// CHECK:           scf.parallel
// CHECK:             vector.store %{{.*}}, %[[ROWS]]
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c64{{.*}} step
// CHECK:             scf.for %{{.*}} = %{{.*}} to %[[PIECES]]
// CHECK-NOT:       scf.parallel
// CHECK:       return
