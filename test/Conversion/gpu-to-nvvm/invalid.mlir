// RUN: not astfe-opt %s --pass-pipeline='builtin.module(gpu.module(lower-astfe-gpu-to-nvvm{index-bits=48}))' 2>&1 | FileCheck %s

// CHECK: error: expected option 'index-bits' to be 32 or 64 but got '48'
gpu.module @kernels {
}
