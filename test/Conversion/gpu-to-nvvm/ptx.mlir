// RUN: astfe-opt %s --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90 features=+ptx80 O=3},gpu.module(lower-astfe-gpu-to-nvvm,canonicalize,cse,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s
// RUN: astfe-opt %s --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80 features=+ptx70 O=3},gpu.module(lower-astfe-gpu-to-nvvm{index-bits=32},canonicalize,cse,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s

// What upstream's two passes cannot do with 32-bit indices: nvgpu beside gpu;
// a float subgroup reduction; shared memory that the launch sizes.

// CHECK: .extern .shared .align 16 .b8 __dynamic_shmem__{{[0-9]+}}[];
// CHECK: .maxntid 32
// CHECK: cp.async.ca.shared.global
// CHECK: cp.async.wait_group
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: __nv_
gpu.module @kernels {
  gpu.func @sum(%xp: memref<128xf32> {llvm.noalias}, %yp: memref<1xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %tid = gpu.thread_id x
    %bytes = gpu.dynamic_shared_memory
           : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %bytes[%c0][]
          : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<32xf32, #gpu.address_space<workgroup>>
    %t = nvgpu.device_async_copy %xp[%tid], %tile[%tid], 1
       : memref<128xf32> to memref<32xf32, #gpu.address_space<workgroup>>
    %g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {numGroups = 0 : i32}
    gpu.barrier
    %v = memref.load %tile[%tid]
       : memref<32xf32, #gpu.address_space<workgroup>>
    %s = gpu.subgroup_reduce add %v : (f32) -> f32
    memref.store %s, %yp[%c0] : memref<1xf32>
    gpu.return
  }
}
