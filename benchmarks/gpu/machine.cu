//===- machine.cu - what a GPU does, whatever the kernels -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: nvcc -O3 -std=c++17 -arch=sm_90 machine.cu -o machine && ./machine
//
// Measures what the emulator's model of an H200 (lib/Emulator/Model.cpp) takes
// for granted: which multiprocessor has which block, what a launch takes,
// latencies of L1, L2 and memory by chases of pointers, bytes a second of rows
// of 512 bytes at random places, and of atomics. Prints a line each.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

static void check(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "machine: error: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

__global__ void nothing() {}

/// Notes the multiprocessor of each block, which stays for `cycles`.
__global__ void __launch_bounds__(256, 4) place(unsigned *units, int cycles) {
  unsigned unit;
  asm volatile("mov.u32 %0, %smid;" : "=r"(unit));
  if (threadIdx.x == 0)
    units[blockIdx.x] = unit;
  for (long long begin = clock64(); clock64() - begin < cycles;)
    ;
}

/// Follows the chain once to warm the caches, then notes the cycles.
__global__ void chase(const unsigned *chain, int steps, bool pastL1,
                      long long *cycles, unsigned *end) {
  unsigned at = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i)
      at = pastL1 ? __ldcg(chain + at) : chain[at];
    *cycles = clock64() - begin;
  }
  *end = at;
}

__device__ unsigned next(unsigned state) {
  return state * 1664525u + 1013904223u;
}

/// Each warp reads `count` rows of 512 bytes, four at a time.
__global__ void __launch_bounds__(256)
    gather(const float4 *rows, unsigned number, int count, float *end) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned state = warp * 2654435761u + 12345;
  float sum = 0;
  for (int i = 0; i < count; i += 4) {
    float4 read[4];
#pragma unroll
    for (float4 &value : read) {
      state = next(state);
      value = __ldcg(rows + size_t(__umulhi(state, number)) * 32 +
                     threadIdx.x % 32);
    }
#pragma unroll
    for (const float4 &value : read)
      sum += value.x + value.y + value.z + value.w;
  }
  if (sum == 1e30f)
    *end = sum;
}

/// Each warp adds to `count` rows of 128 bytes.
__global__ void add(float *rows, unsigned number, int count) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned state = warp * 2654435761u + 12345;
  for (int i = 0; i < count; ++i) {
    state = next(state);
    float *to = rows + size_t(__umulhi(state, number)) * 32 + threadIdx.x % 32;
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(to), "f"(1.f)
                 : "memory");
  }
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

/// The least seconds of five runs.
static double seconds(const std::function<void()> &work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float least = 1e9f;
  for (int i = 0; i < 5; ++i) {
    float milliseconds;
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    least = std::min(least, milliseconds);
  }
  return least * 1e-3;
}

static void places(int units) {
  for (int each : {1, 2, 4, 12}) {
    const int blocks = units * each;
    unsigned *device;
    check(cudaMalloc(&device, blocks * sizeof(unsigned)));
    place<<<blocks, 256>>>(device, 20000);
    std::vector<unsigned> of(blocks);
    check(cudaMemcpy(of.data(), device, blocks * sizeof(unsigned),
                     cudaMemcpyDeviceToHost));
    check(cudaFree(device));
    int same = 0;
    for (int block = 0; block < blocks; ++block)
      same += of[block] == of[block % units];
    std::printf("blocks: %d of %d are on the multiprocessor of b mod %d\n",
                same, blocks, units);
  }
}

static void launches(int blocks) {
  constexpr int kCount = 1000;
  const double launched = seconds([&] {
    for (int i = 0; i < kCount; ++i)
      nothing<<<blocks, 256>>>();
  });
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t recorded;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kCount; ++i)
    nothing<<<blocks, 256, 0, stream>>>();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&recorded, graph, 0));
  const double replayed = seconds([&] {
    for (int i = 0; i < 3; ++i)
      check(cudaGraphLaunch(recorded, nullptr));
  });
  std::printf("an empty kernel: launched %.2f us, in a graph %.2f us\n",
              launched * 1e6 / kCount, replayed * 1e6 / kCount / 3);
}

/// One circle through all lines of `bytes`, in random order.
static void latency(size_t bytes, unsigned *memory, long long *cycles) {
  std::vector<unsigned> order(bytes / 128), chain(bytes / 4);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (size_t i = 0; i < order.size(); ++i)
    chain[order[i] * 32] = order[(i + 1) % order.size()] * 32;
  check(cudaMemcpy(memory, chain.data(), bytes, cudaMemcpyHostToDevice));
  const int steps = int(std::min<size_t>(order.size(), 20000));
  double each[2];
  for (bool pastL1 : {false, true}) {
    chase<<<1, 1>>>(memory, steps, pastL1, cycles,
                    reinterpret_cast<unsigned *>(cycles + 1));
    long long taken;
    check(
        cudaMemcpy(&taken, cycles, sizeof(taken), cudaMemcpyDeviceToHost));
    each[pastL1] = double(taken) / steps;
  }
  std::printf("a chase through %zu KiB: %.0f cycles, past L1 %.0f\n",
              bytes >> 10, each[0], each[1]);
}

int main() {
  cudaDeviceProp machine;
  check(cudaGetDeviceProperties(&machine, 0));
  const int units = machine.multiProcessorCount;
  std::printf("%s: %d multiprocessors, L2 of %d MiB\n", machine.name, units,
              machine.l2CacheSize >> 20);
  places(units);
  launches(units * 4);
  unsigned *memory;
  long long *cycles;
  check(cudaMalloc(&memory, size_t(2) << 30));
  check(cudaMalloc(&cycles, 64));
  check(cudaMemset(memory, 0, size_t(2) << 30));
  for (size_t kib : {16, 1024, 8192, 40960, 262144, 1048576})
    latency(kib << 10, memory, cycles);
  constexpr int kCount = 512;
  for (size_t mib : {16, 48, 64, 128, 512, 2048}) {
    const double taken = seconds([&] {
      gather<<<units * 4, 256>>>(reinterpret_cast<float4 *>(memory),
                                 unsigned(mib << 11), kCount,
                                 reinterpret_cast<float *>(cycles));
    });
    std::printf("rows of 512 bytes in %zu MiB: %.2f TB/s\n", mib,
                units * 4 * 8 * double(kCount) * 512 / taken * 1e-12);
  }
  for (size_t mib : {16, 512}) {
    const double taken = seconds([&] {
      add<<<units * 8, 256>>>(reinterpret_cast<float *>(memory),
                              unsigned(mib << 13), kCount);
    });
    std::printf("atomics of f32, 32 side by side, in %zu MiB: %.0fe9 a second\n",
                mib, units * 8 * 256 * double(kCount) / taken * 1e-9);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
