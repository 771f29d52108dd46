// RUN: astfe-opt %s --convert-astfe-to-gpu | FileCheck %s

// Without a computation there is no kernel.

// CHECK-NOT:   gpu
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    arith.addf
func.func @other(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
