// RUN: astfe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-astfe-gpu-to-nvvm))' | FileCheck %s

// y += a x with 128-bit accesses: bare pointers, dynamic views made inside.

// CHECK-LABEL: llvm.func @axpy
// CHECK-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias}
// CHECK-SAME:    gpu.kernel
// CHECK-SAME:    nvvm.kernel
// CHECK-SAME:    nvvm.maxntid = array<i32: 128, 1, 1>
// CHECK-SAME:    nvvm.minctasm = 8
// CHECK:         nvvm.read.ptx.sreg.tid.x
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         llvm.fmul {{.*}} {fastmathFlags = #llvm.fastmath<contract>}
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
gpu.module @kernels {
  gpu.func @axpy(%xp: memref<f32> {llvm.noalias}, %yp: memref<f32>,
                 %a: f32, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  nvvm.minctasm = 8 : i32} {
    %tid = gpu.thread_id x
    %bid = gpu.block_id x
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %x = memref.reinterpret_cast %xp to offset: [0], sizes: [%n], strides: [1]
       : memref<f32> to memref<?xf32>
    %y = memref.reinterpret_cast %yp to offset: [0], sizes: [%n], strides: [1]
       : memref<f32> to memref<?xf32>
    %b = arith.muli %bid, %c128 : index
    %t = arith.addi %b, %tid : index
    %i = arith.muli %t, %c4 : index
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %v = vector.load %x[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>
      %w = vector.load %y[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>
      %av = vector.broadcast %a : f32 to vector<4xf32>
      %m = arith.mulf %v, %av fastmath<contract> : vector<4xf32>
      %s = arith.addf %m, %w fastmath<contract> : vector<4xf32>
      vector.store %s, %y[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>
    }
    gpu.return
  }
}

// What PTX has instructions for is not called.

// CHECK-LABEL: llvm.func @direct
// CHECK-NOT:     llvm.call
// CHECK:         llvm.intr.fabs
// CHECK:         llvm.intr.sqrt
// CHECK:         llvm.intr.floor
// CHECK:         llvm.intr.ceil
// CHECK:         llvm.intr.roundeven
// CHECK:         llvm.intr.copysign
gpu.module @math {
  gpu.func @direct(%p: memref<f32>) kernel {
    %x = memref.load %p[] : memref<f32>
    %0 = math.absf %x : f32
    %1 = math.sqrt %0 : f32
    %2 = math.floor %1 : f32
    %3 = math.ceil %2 : f32
    %4 = math.roundeven %3 : f32
    %5 = math.copysign %4, %x : f32
    memref.store %5, %p[] : memref<f32>
    gpu.return
  }
}
