//===- device.h - the little of CUDA that the rivals need -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instead of the toolkit's headers (clang -nocudainc -nocudalib).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_GPU_RIVALS_DEVICE_H
#define ASTFE_BENCHMARKS_GPU_RIVALS_DEVICE_H

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

__device__ inline int threadX() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ inline int blockX() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline int blockY() { return __nvvm_read_ptx_sreg_ctaid_y(); }

constexpr unsigned kAllLanes = ~0u;

__device__ inline void syncWarp() { __nvvm_bar_warp_sync(kAllLanes); }
__device__ inline float shuffleXor(float value, int lane) {
  return __nvvm_shfl_sync_bfly_f32(kAllLanes, value, lane, 31);
}
__device__ inline void addAtomically(float *to, float value) {
  __nvvm_atom_add_gen_f(to, value);
}

/// V floats that are loaded and stored at once.
template <int V>
struct alignas(4 * V) Vector {
  float at[V];
};
template <int V>
__device__ inline Vector<V> loadVector(const float *from) {
  typedef float Native __attribute__((ext_vector_type(V)));
  Native loaded = *reinterpret_cast<const Native *>(from);
  Vector<V> result;
  for (int i = 0; i < V; ++i)
    result.at[i] = loaded[i];
  return result;
}
template <>
__device__ inline Vector<1> loadVector<1>(const float *from) {
  return {{*from}};
}
template <int V>
__device__ inline void storeVector(float *to, const Vector<V> &values) {
  typedef float Native __attribute__((ext_vector_type(V)));
  Native stored;
  for (int i = 0; i < V; ++i)
    stored[i] = values.at[i];
  *reinterpret_cast<Native *>(to) = stored;
}
template <>
__device__ inline void storeVector<1>(float *to, const Vector<1> &values) {
  *to = values.at[0];
}

#endif // ASTFE_BENCHMARKS_GPU_RIVALS_DEVICE_H
