// RUN: %python %S/../../Tools/astfe-run/Inputs/attention.py pattern scale=0.125 width=32 > %t.mlir
// RUN: astfe-opt %t.mlir --astfe-to-cpu="vector-bytes=64 wide-masks=true" --mlir-print-ir-after=convert-astfe-to-scf -o /dev/null 2>&1 | FileCheck %s
// RUN: astfe-opt %t.mlir --astfe-to-cpu --remarks-filter='convert-astfe-to-scf' -o %t.llvm 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: astfe-opt %t.mlir --astfe-to-cpu="vector-bytes=32 wide-masks=false" --mlir-print-ir-after=convert-astfe-to-scf -o /dev/null 2>&1 | FileCheck %s --check-prefix=NARROW

// Attention gathers rows of K and rows of V, so that blocks of rows run in three
// stages: scores, softmax, products. Blocks have 131072 nonzeros, and panels a
// quarter of the second cache, where rows reach far and enough is stored.

// REMARK: runs the chain by blocks of rows, in 3 stages

// CHECK-LABEL: func.func {{.*}}@attention
// How far rows reach.
// CHECK:       %[[REACH:.*]] = scf.for {{.*}} iter_args
// CHECK:       arith.select %[[ON:.*]], %c131072, %c2048
// CHECK-NEXT:  %[[WIDTH:.*]] = arith.select %[[ON]], %{{.*}}, %[[ALL:.*]] : index
// CHECK:       scf.parallel
// CHECK-NEXT:    %[[REACHED:.*]] = memref.alloca() : memref<2048xindex>
// CHECK:         %[[SCORES:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xf32>
// Blocks, whose rows are found first.
// CHECK:         scf.while
// CHECK:           scf.while
// Panels of K, and rows of the block.
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %[[ALL]] step %[[WIDTH]] {
// CHECK:             scf.for {{.*}} iter_args
// CHECK:               memref.load %[[REACHED]]
// CHECK:               scf.while
// CHECK:               memref.store %{{.*}}, %[[REACHED]]
// CHECK:               memref.reinterpret_cast %[[SCORES]] to offset: [%{{.*}}]
// CHECK-NOT:           math.exp
// Softmax of whole rows.
// CHECK:           scf.for {{.*}} iter_args
// CHECK-NOT:         memref.load %[[REACHED]]
// CHECK:             arith.maximumf
// CHECK:             arith.divf
// Panels of V: sums are stored by the first, and added to by others.
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %[[ALL]] step %{{.*}} {
// CHECK:             scf.for {{.*}} iter_args
// CHECK:               memref.load %[[REACHED]]
// CHECK:               scf.if {{.*}} -> (vector<16xf32>, vector<16xf32>
// CHECK:               vector.store

// Processors without masks have half of the second cache.

// NARROW: arith.select %{{.*}}, %c65536, %c2048
