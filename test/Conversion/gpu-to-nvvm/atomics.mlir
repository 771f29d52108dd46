// RUN: astfe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-astfe-gpu-to-nvvm))' | FileCheck %s
// RUN: astfe-opt %s --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90 features=+ptx80 O=3},gpu.module(lower-astfe-gpu-to-nvvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=PTX

// A combiner without an atomic instruction becomes a loop around a compare and
// swap, which needs no fence: nothing but the element itself is shared.

// CHECK:     llvm.atomicrmw fmaximum {{.*}} syncscope("device") monotonic
// CHECK:     llvm.atomicrmw fmin {{.*}} syncscope("device") monotonic

// PTX-NOT:   {{fence|membar|acq_rel}}
// PTX:       atom.relaxed.gpu.global.cas.b32
// PTX-NOT:   {{fence|membar|acq_rel}}
// PTX:       atom.relaxed.gpu.global.cas.b32
// PTX-NOT:   {{fence|membar|acq_rel}}

gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32>, %v: f32, %i: index) kernel {
    %0 = memref.atomic_rmw maximumf %v, %x[%i] : (f32, memref<4xf32>) -> f32
    %1 = memref.atomic_rmw minnumf %v, %x[%i] : (f32, memref<4xf32>) -> f32
    gpu.return
  }
}
