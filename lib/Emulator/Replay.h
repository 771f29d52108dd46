//===- Replay.h - a launch on a GPU's schedulers and caches ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the accesses of all warps in the order of their times. What they share
// serves one after another: a scheduler, an L1's lookups, what L2 gives a
// multiprocessor, L2's lookups and bytes, memory, the line that atomics add to.
// An access arrives after the longest of its queues, which overlap, and its
// latency; a warp goes on until an instruction needs what it loads, or until
// what it has loaded fills its registers.
//
//   warp 0: 20 instructions | load 287 cycles | 8 instructions | load ...
//   warp 1: (queues 5)  20 instructions | (queues 2) load 287 cycles | ...
//
// Complexity: O(lines of all traces + accesses log warps), about 200 ns each.
//
// Source: lock-step replay of memory accesses between intervals of instructions
// as in Huang et al., "GPUMech", 2014.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_REPLAY_H
#define ASTFE_LIB_EMULATOR_REPLAY_H

#include "ASTFE/Emulator/Model.h"
#include "Cache.h"
#include "WarpLog.h"

#include <queue>
#include <unordered_map>

namespace astfe::emu {

/// What serves one after another; what comes while it is busy waits.
struct Server {
  double free = 0, busy = 0;

  /// Until it has served what arrives at `now`.
  double serve(double now, double cycles) {
    busy += cycles;
    free = std::max(free, now) + cycles;
    return free - now;
  }
};

/// A load on its way, and the registers that wait for it.
struct Load {
  double arrives;
  uint32_t registers;
};

/// A warp on its way through its trace.
struct WarpReplay {
  const std::vector<uint64_t> *trace = nullptr;
  size_t at = 0;
  double alone = 0; ///< cycles, if it never queued
  double aloneArrives = 0;
  double arrives = 0; ///< the last of what it has loaded
  /// What it has loaded and not waited for, in order from `oldest` on.
  std::vector<Load> loads;
  size_t oldest = 0;
  int64_t held = 0; ///< registers of these
  double ends = 0;  ///< the last of what it has written
  unsigned scheduler = 0;

  bool ended() const { return at == trace->size(); }
  void waitForAll();
  /// Until a load of so many registers fits into those that are free.
  double roomFor(uint32_t registers, int64_t free);
};

/// Room for one block of a multiprocessor.
struct Slot {
  std::vector<WarpReplay> warps;
  size_t running = 0;
  double blockEnds = 0;
  double alone = 0; ///< cycles of the blocks that it has had, without queues
};

struct Multiprocessor {
  explicit Multiprocessor(int64_t l1Bytes) : l1(l1Bytes) {}
  Cache l1;
  Server lookups, fromL2;
  std::vector<Server> schedulers;
  int64_t issued = 0;
};

struct Event {
  double time;
  uint32_t slot, warp;
  bool hasIssued; ///< what comes before its next access
  bool operator>(const Event &other) const { return time > other.time; }
};

class Replay {
public:
  Replay(const GpuNumbers &gpu, const LaunchReport &launch, int64_t resident,
         int64_t registers, double begin)
      : gpu(gpu), launch(launch), l2(gpu.l2Bytes), resident(resident),
        registers(registers), begin(begin) {}

  /// One launch; what it leaves in L2 stays for the next.
  Prediction run();

private:
  void reset();
  uint32_t placeOf(uint32_t slot) const;
  void next(uint32_t slot, double now);
  int64_t freeFor(uint32_t load) const;
  bool issue(Event &event);
  void access(const Event &event);
  void endWarp(const Event &event);
  double lineCycles(Multiprocessor &unit, const TraceHeader &header,
                    uint64_t line, double now, double &queue);
  bool accessL2(uint64_t number, uint8_t sectors, bool write, double weight,
                double now, double &queue);
  void conclude();

  const GpuNumbers &gpu;
  const LaunchReport &launch;
  Cache l2;
  const int64_t resident;
  const int64_t registers;
  const double begin; ///< of its first blocks
  std::vector<Multiprocessor> units;
  std::vector<Slot> slots;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  Server l2Lookups, l2Server, dram;
  std::unordered_map<uint64_t, Server> added; ///< lines, by atomics
  size_t nextBlock = 0;
  double end = 0, byteCycles = 0;
  Prediction sums;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_REPLAY_H
