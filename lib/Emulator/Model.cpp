//===- Model.cpp - the time a GPU would take ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Model.h"
#include "Cache.h"
#include "WarpLog.h"

#include <array>
#include <cstdio>
#include <deque>
#include <memory>

using namespace astfe;
using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

// Counts, sizes and the clock: NVIDIA, "H100 Tensor Core GPU Architecture"
// (GH100 as SXM5) and the H200's data sheet. Latencies: rounded from the tables
// of Luo et al., arXiv 2402.13499. An L1 looks up one line a cycle and an L2
// gives a multiprocessor 64 bytes a cycle: ncu's rooflines of these chips. What
// L2 and DRAM reach: an estimate, 90 % of the H200's 4.8 TB/s, and what STREAM
// from L2 gave others on H100. A warp issues every second cycle: results of
// arithmetic are there after four (the same tables), and every other
// instruction is taken to need the one before. An atomic sector is read and
// written.
static constexpr GpuNumbers kH200 = {"h200",
                                     /*multiprocessors=*/132,
                                     /*schedulers=*/4,
                                     /*warps=*/64,
                                     /*blocks=*/32,
                                     /*registers=*/65536,
                                     /*l1Bytes=*/256 << 10,
                                     /*l2Bytes=*/50 << 20,
                                     /*clock=*/1.98e9,
                                     /*l1LinesPerCycle=*/1,
                                     /*l2BytesPerCycle=*/64,
                                     /*l2Bandwidth=*/6.0e12,
                                     /*dramBandwidth=*/4.3e12,
                                     /*sharedLatency=*/30,
                                     /*l1Latency=*/40,
                                     /*l2Latency=*/260,
                                     /*dramLatency=*/480,
                                     /*issueLatency=*/2,
                                     /*atomicSectors=*/2};

core::Result<GpuNumbers> emu::gpuNumbers(const std::string &name) {
  if (name == kH200.name)
    return kH200;
  return core::Error{std::string("expected the model of a GPU, '") +
                     kH200.name + "', but got '" + name + "'"};
}

//===----------------------------------------------------------------------===//
// The replay
//===----------------------------------------------------------------------===//

namespace {

/// A warp on its way through its trace.
struct WarpReplay {
  const std::vector<uint64_t> *trace;
  size_t at = 0;
  double cycles = 0;      ///< since its block began
  double outstanding = 0; ///< until the last of what it has loaded arrives

  bool ended() const { return at == trace->size(); }
};

/// Room for one block of a multiprocessor.
struct Slot {
  std::vector<WarpReplay> warps;
  double cycles = 0; ///< of the blocks that it has had
};

struct Multiprocessor {
  explicit Multiprocessor(int64_t l1Bytes) : l1(l1Bytes) {}
  Cache l1;
  std::vector<Slot> slots;
  int64_t issued = 0, lines = 0, sectorsFromL2 = 0;
};

class Replay {
public:
  Replay(const GpuNumbers &gpu, const LaunchReport &launch, int64_t resident)
      : gpu(gpu), launch(launch), l2(gpu.l2Bytes) {
    const int64_t l1Bytes = std::max<int64_t>(
        gpu.l1Bytes - resident * (launch.sharedBytes + 1024), 16 << 10);
    for (int64_t i = 0; i < gpu.multiprocessors; ++i) {
      units.push_back(std::make_unique<Multiprocessor>(l1Bytes));
      units.back()->slots.resize(size_t(resident));
    }
  }

  /// One launch; what it leaves in L2 stays for the next.
  Prediction run();

private:
  void reset();
  bool next(Slot &slot);
  bool turn(Multiprocessor &unit, WarpReplay &warp);
  double lineCycles(Multiprocessor &unit, const TraceHeader &header,
                    uint64_t line);
  void accessL2(uint64_t number, uint8_t sectors, bool write, int64_t weight,
                bool &missed);
  void conclude();

  const GpuNumbers &gpu;
  const LaunchReport &launch;
  Cache l2;
  std::vector<std::unique_ptr<Multiprocessor>> units;
  size_t nextBlock = 0;
  double weightedL2Sectors = 0, byteCycles = 0;
  Prediction sums;
};

} // namespace

void Replay::reset() {
  nextBlock = 0;
  weightedL2Sectors = byteCycles = 0;
  sums = Prediction();
  for (auto &unit : units) {
    unit->l1.clear();
    unit->issued = unit->lines = unit->sectorsFromL2 = 0;
    for (Slot &slot : unit->slots)
      slot = Slot();
  }
}

/// Gives the slot the next block that ran. False: there is none.
bool Replay::next(Slot &slot) {
  for (const WarpReplay &warp : slot.warps)
    if (!warp.ended())
      return true;
  double longest = 0;
  for (const WarpReplay &warp : slot.warps)
    longest = std::max(longest, warp.cycles + warp.outstanding);
  slot.cycles += longest;
  slot.warps.clear();
  while (nextBlock < launch.traces.size() &&
         launch.traces[nextBlock].warps.empty())
    ++nextBlock; // not in the sample
  if (nextBlock == launch.traces.size())
    return false;
  for (const std::vector<uint64_t> &trace : launch.traces[nextBlock].warps)
    slot.warps.push_back({&trace});
  ++nextBlock;
  return true;
}

void Replay::accessL2(uint64_t number, uint8_t sectors, bool write,
                      int64_t weight, bool &missed) {
  const Cache::Outcome outcome = l2.access(number, sectors, write);
  const int asked = __builtin_popcount(sectors);
  // A written sector is not fetched first: the write covers it, or L2 keeps
  // which bytes are valid.
  const int fetched =
      write && weight == 1 ? 0 : __builtin_popcount(outcome.missed);
  sums.l2Sectors += asked;
  sums.l2Hits += asked - __builtin_popcount(outcome.missed);
  weightedL2Sectors += double(asked * weight);
  sums.dramBytes += 32 * (fetched + __builtin_popcount(outcome.evicted));
  missed = fetched != 0;
}

/// The latency of one line of an access.
double Replay::lineCycles(Multiprocessor &unit, const TraceHeader &header,
                          uint64_t line) {
  const uint64_t number = line >> 4;
  const auto sectors = uint8_t(line & 15);
  const int count = __builtin_popcount(sectors);
  sums.sectors += count;
  ++unit.lines;
  bool missed = false;
  if (header.kind != AccessKind::Read) {
    const bool atomic = header.kind == AccessKind::Atomic;
    unit.sectorsFromL2 += count;
    accessL2(number, sectors, /*write=*/true,
             atomic ? int64_t(gpu.atomicSectors) : 1, missed);
    return 0; // nobody waits for a write, nor for a reduction
  }
  const uint8_t wanted = unit.l1.access(number, sectors, false).missed;
  sums.l1Hits += count - __builtin_popcount(wanted);
  if (!wanted)
    return gpu.l1Latency;
  unit.sectorsFromL2 += __builtin_popcount(wanted);
  accessL2(number, wanted, /*write=*/false, 1, missed);
  const double cycles = missed ? gpu.dramLatency : gpu.l2Latency;
  byteCycles += 32 * __builtin_popcount(wanted) * cycles;
  return cycles;
}

/// One memory instruction of a warp. False if it has ended.
bool Replay::turn(Multiprocessor &unit, WarpReplay &warp) {
  if (warp.ended())
    return false;
  const TraceHeader header = TraceHeader::decode((*warp.trace)[warp.at++]);
  unit.issued += header.instructions;
  const double busy = double(header.instructions) * gpu.issueLatency;
  warp.cycles += busy;
  warp.outstanding = std::max(0.0, warp.outstanding - busy);
  if (header.waits) {
    warp.cycles += warp.outstanding;
    warp.outstanding = 0;
  }
  double latest = header.inShared ? gpu.sharedLatency : 0;
  unit.lines += header.inShared;
  for (uint32_t i = 0; i < header.lines; ++i)
    latest =
        std::max(latest, lineCycles(unit, header, (*warp.trace)[warp.at++]));
  warp.outstanding = std::max(warp.outstanding, latest);
  return true;
}

void Replay::conclude() {
  double issued = 0, lines = 0, fromL2 = 0, slowest = 0;
  for (const auto &unit : units) {
    sums.issued += unit->issued;
    issued = std::max(issued, double(unit->issued));
    lines = std::max(lines, double(unit->lines));
    fromL2 = std::max(fromL2, double(unit->sectorsFromL2) * 32);
    for (const Slot &slot : unit->slots)
      slowest = std::max(slowest, slot.cycles);
  }
  sums.issueSeconds = issued / double(gpu.schedulers) / gpu.clock;
  sums.l1Seconds = lines / gpu.l1LinesPerCycle / gpu.clock;
  sums.l2Seconds = std::max(fromL2 / gpu.l2BytesPerCycle / gpu.clock,
                            weightedL2Sectors * 32 / gpu.l2Bandwidth);
  sums.dramSeconds = double(sums.dramBytes) / gpu.dramBandwidth;
  sums.latencySeconds = slowest / gpu.clock;
  struct {
    const char *name;
    double seconds;
  } limits[] = {{"issue", sums.issueSeconds},
                {"L1", sums.l1Seconds},
                {"L2", sums.l2Seconds},
                {"DRAM", sums.dramSeconds},
                {"latency", sums.latencySeconds}};
  for (auto &limit : limits)
    if (limit.seconds > sums.seconds) {
      sums.seconds = limit.seconds;
      sums.limit = limit.name;
    }
  if (sums.seconds > 0)
    sums.bytesInFlight =
        byteCycles / double(gpu.multiprocessors) / (sums.seconds * gpu.clock);
}

Prediction Replay::run() {
  reset();
  // Blocks go round the multiprocessors until all are full.
  for (size_t i = 0; i < units.front()->slots.size(); ++i)
    for (auto &unit : units)
      next(unit->slots[i]);
  for (bool any = true; any;) {
    any = false;
    for (auto &unit : units)
      for (Slot &slot : unit->slots) {
        bool moved = false;
        for (WarpReplay &warp : slot.warps)
          moved |= turn(*unit, warp);
        any |= moved || (!slot.warps.empty() && next(slot));
      }
  }
  conclude();
  return sums;
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
                                      int64_t registers) {
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
  Replay replay(gpu, launch, resident);
  replay.run(); // warms L2
  Prediction result = replay.run();
  result.residentBlocks = resident;
  result.occupancy = double(resident * warps) / double(gpu.warps);
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
      "latency %.2f us\n"
      "  predicted %.2f us (%s)\n",
      (long long)p.issued, (long long)p.sectors, percent(p.l1Hits, p.sectors),
      double(p.l2Sectors) * 32e-6, percent(p.l2Hits, p.l2Sectors),
      double(p.dramBytes) * 1e-6, (long long)p.residentBlocks, p.occupancy,
      p.bytesInFlight * 1e-3, p.issueSeconds * 1e6, p.l1Seconds * 1e6,
      p.l2Seconds * 1e6, p.dramSeconds * 1e6, p.latencySeconds * 1e6,
      p.seconds * 1e6, p.limit);
  return text;
}
