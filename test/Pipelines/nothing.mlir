// RUN: astfe-opt %s --astfe-to-cpu | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier | FileCheck %s
// RUN: astfe-opt %s --astfe-sparsifier="expected-runs=100 order=hilbert" | FileCheck %s

// A module with nothing to do for ASTFE is upstream's; an empty one stays empty.

// CHECK:     llvm.func @add
// CHECK:       llvm.fadd
// CHECK-NOT: omp.
// CHECK-NOT: astfe
func.func @add(%a: f32, %b: f32) -> f32 {
  %c = arith.addf %a, %b : f32
  return %c : f32
}
