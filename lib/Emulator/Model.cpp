//===- Model.cpp - the time a GPU would take ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

#include <cstdio>

using namespace astfe;
using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

// Counts and sizes: NVIDIA, "H100 Tensor Core GPU Architecture" (GH100 as
// SXM5). Measured on an H200 by benchmarks/gpu/machine.cu: what L2 and memory
// give, their latencies and L1's, what a launch takes in a graph, and atomics:
// 830e9 a second of f32, a sector of eight as long as 2.6 that are read. One
// line's are added by one of 94 slices of L2, a sector in 1.8 cycles. Each half
// of L2 keeps what its multiprocessors read, so that half of 60 MiB counts:
// rows at random places of 128 and 512 MiB come as fast as that says. By ncu on
// the same machine: the clock; a slice looks up one line each cycle of 1.7e9
// (lts__t_tag_requests); from an instruction of a warp to its next 2.9 to 5.2
// cycles in seven kernels, where memory is not waited for; a warp of tile128
// waits 310 cycles for its launch's arguments and 330 for code. By machine code
// of ptxas: of 56 registers 28 to 32 are for loads on their way, of 36 and of
// 40 (row_parts128) twelve. An L1 looks up one line a cycle and an L2 gives a
// multiprocessor 64 bytes a cycle: ncu's rooflines of these chips.
static constexpr GpuNumbers kH200 = {"h200",
                                     /*multiprocessors=*/132,
                                     /*schedulers=*/4,
                                     /*warps=*/64,
                                     /*blocks=*/32,
                                     /*registers=*/65536,
                                     /*l1Bytes=*/256 << 10,
                                     /*l2Bytes=*/30 << 20,
                                     /*clock=*/1.95e9,
                                     /*l1LinesPerCycle=*/1,
                                     /*l2BytesPerCycle=*/64,
                                     /*l2LinesPerSecond=*/160e9,
                                     /*l2Bandwidth=*/8.7e12,
                                     /*dramBandwidth=*/4.6e12,
                                     /*fillBandwidth=*/4.4e12,
                                     /*sharedLatency=*/30,
                                     /*l1Latency=*/40,
                                     /*l2Latency=*/287,
                                     /*dramLatency=*/680,
                                     /*issueLatency=*/4,
                                     /*atomicSectors=*/2.6,
                                     /*atomicCycles=*/1.8,
                                     /*keptRegisters=*/24,
                                     /*coldConstants=*/310,
                                     /*coldCode=*/330,
                                     /*launchSeconds=*/0.8e-6};

core::Result<GpuNumbers> emu::gpuNumbers(const std::string &name) {
  if (name == kH200.name)
    return kH200;
  return core::Error{std::string("expected the model of a GPU, '") +
                     kH200.name + "', but got '" + name + "'"};
}

//===----------------------------------------------------------------------===//
// The prediction
//===----------------------------------------------------------------------===//

/// Blocks that a multiprocessor holds. Registers are given out to warps in
/// units of 256.
static int64_t residentBlocks(const GpuNumbers &gpu, int64_t warps,
                              int64_t registers, int64_t sharedBytes) {
  const int64_t ofWarp = (registers * 32 + 255) / 256 * 256;
  // Each block takes a kilobyte of shared memory for itself.
  return std::min({gpu.blocks, gpu.warps / warps,
                   gpu.registers / (ofWarp * warps),
                   (228 << 10) / (sharedBytes + 1024)});
}

core::Result<Prediction> emu::predict(const GpuNumbers &gpu,
                                      const LaunchReport &launch,
                                      int64_t registers, Before before) {
  if (launch.traces.empty())
    return core::Error{"expected a launch with traces but got one without"};
  const int64_t warps = (launch.blockThreads + 31) / 32;
  const int64_t resident =
      residentBlocks(gpu, warps, registers, launch.sharedBytes);
  if (resident < 1)
    return core::Error{"expected a block that fits the GPU but got one of " +
                       std::to_string(launch.blockThreads) + " threads with " +
                       std::to_string(registers) + " registers and " +
                       std::to_string(launch.sharedBytes) +
                       " bytes of shared memory"};
  Replay replay(gpu, launch, resident, registers,
                gpu.coldConstants +
                    (before == Before::Another ? gpu.coldCode : 0));
  replay.run(); // warms L2
  Prediction result = replay.run();
  result.residentBlocks = resident;
  result.occupancy = double(resident * warps) / double(gpu.warps);
  return result;
}

Prediction emu::predictFill(const GpuNumbers &gpu, int64_t bytes) {
  Prediction result;
  result.l2Sectors = result.l2Hits = (bytes + 31) / 32;
  result.l2Seconds = double(bytes) / gpu.fillBandwidth;
  result.launchSeconds = gpu.launchSeconds;
  result.limit = result.l2Seconds > gpu.launchSeconds ? "L2" : "launch";
  result.longestSeconds = result.seconds = gpu.launchSeconds + result.l2Seconds;
  return result;
}

Prediction &Prediction::operator+=(const Prediction &next) {
  issued += next.issued;
  sectors += next.sectors;
  l1Hits += next.l1Hits;
  l2Sectors += next.l2Sectors;
  l2Hits += next.l2Hits;
  dramBytes += next.dramBytes;
  issueSeconds += next.issueSeconds;
  l1Seconds += next.l1Seconds;
  l2Seconds += next.l2Seconds;
  dramSeconds += next.dramSeconds;
  latencySeconds += next.latencySeconds;
  launchSeconds += next.launchSeconds;
  seconds += next.seconds;
  if (next.seconds >= longestSeconds) {
    longestSeconds = next.seconds;
    residentBlocks = next.residentBlocks;
    occupancy = next.occupancy;
    bytesInFlight = next.bytesInFlight;
    limit = next.limit;
  }
  return *this;
}

std::string emu::describe(const Prediction &p) {
  char text[1024];
  auto percent = [](int64_t part, int64_t all) {
    return all ? 100.0 * double(part) / double(all) : 0.0;
  };
  std::snprintf(
      text, sizeof(text),
      "  instructions issued %lld, sectors %lld, L1 hits %.1f %%\n"
      "  L2 %.3f MB, hits %.1f %%, DRAM %.3f MB\n"
      "  blocks per multiprocessor %lld, occupancy %.2f, in flight %.1f KB\n"
      "  limits: issue %.2f us, L1 %.2f us, L2 %.2f us, DRAM %.2f us, "
      "latency %.2f us, launch %.2f us\n"
      "  predicted %.2f us (%s)\n",
      (long long)p.issued, (long long)p.sectors, percent(p.l1Hits, p.sectors),
      double(p.l2Sectors) * 32e-6, percent(p.l2Hits, p.l2Sectors),
      double(p.dramBytes) * 1e-6, (long long)p.residentBlocks, p.occupancy,
      p.bytesInFlight * 1e-3, p.issueSeconds * 1e6, p.l1Seconds * 1e6,
      p.l2Seconds * 1e6, p.dramSeconds * 1e6, p.latencySeconds * 1e6,
      p.launchSeconds * 1e6, p.seconds * 1e6, p.limit);
  return text;
}
