// RUN: astfe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-astfe-gpu-to-nvvm))' | FileCheck %s

// Code outside a gpu.module is left alone.

// CHECK-LABEL: func.func @host
// CHECK-NEXT:    arith.addf
func.func @host(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
gpu.module @empty {
}
