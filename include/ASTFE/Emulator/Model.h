//===- Model.h - the time a GPU would take --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator has recorded what every warp issued (Options::recordTraces). The
// model replays that on the machine's schedulers and caches, in the order of
// time: blocks go to multiprocessors in order, as many as fit, and what warps
// share serves them one after another (lib/Emulator/Replay.h). The time ends
// with the last warp, and has a launch before.
//
// Beside it the prediction has limits that no launch beats, each by itself:
// what a multiprocessor can issue, what its L1 can look up, what L2 and DRAM
// can move, how long warps wait if none queues, and the launch. The largest
// says what to improve.
//
//   rows of B that fit L2, 32 warps a multiprocessor:
//     issue 41 us   L1 55 us   L2 80 us   DRAM 12 us   latency 61 us  -> 92 us
//
// A warp waits for all that it has outstanding where an instruction needs a
// loaded value, and for the oldest where its registers are full.
//
// The caches begin as an earlier launch of the same kernel leaves them: what is
// repeated finds its operands in L2 where they fit.
//
// What it does not see: bank conflicts, lanes that add to one word, slices of
// L2 that are asked more than others, clocks that fall under load, how ptxas
// orders and unrolls, the dependence of one arithmetic instruction on another
// but on average. A prediction is for comparing kernels; how far measured times
// are from it is in docs/GPU.md.
//
// Complexity: O(lines of all traces + accesses log warps), about 200 ns each.
//
// Source: limits side by side as in Williams et al., "Roofline", 2009; queues
// between intervals of instructions as in Huang et al., "GPUMech", 2014; caches
// replayed as in arXiv 2204.14242, which estimates them.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EMULATOR_MODEL_H
#define ASTFE_EMULATOR_MODEL_H

#include "ASTFE/Emulator/Emulator.h"

namespace astfe::emu {

/// A GPU, in its own units. Model.cpp has one table, with sources.
struct GpuNumbers {
  const char *name;
  int64_t multiprocessors, schedulers; ///< schedulers of each multiprocessor
  int64_t warps, blocks, registers;    ///< that a multiprocessor holds
  int64_t l1Bytes;                     ///< with shared memory
  int64_t l2Bytes;
  double clock;            ///< Hz
  double l1LinesPerCycle;  ///< of a multiprocessor
  double l2BytesPerCycle;  ///< to a multiprocessor
  double l2LinesPerSecond; ///< that all of L2 looks up
  double l2Bandwidth;      ///< bytes/s, to all
  double dramBandwidth;    ///< bytes/s
  double fillBandwidth;    ///< bytes/s that memory is filled with
  double sharedLatency, l1Latency, l2Latency, dramLatency; ///< cycles
  double issueLatency;   ///< cycles from one instruction of a warp to the next
  double atomicSectors;  ///< L2 transactions that an atomic one counts for
  double atomicCycles;   ///< of a sector, before the next atomic of its line
  int64_t keptRegisters; ///< of a thread, that wait for no load, but sums
  /// Cycles that first blocks wait for arguments, and for code that another
  /// kernel has displaced.
  double coldConstants, coldCode;
  double launchSeconds; ///< of an empty kernel behind another
};

/// The numbers of a GPU by name ("h200").
core::Result<GpuNumbers> gpuNumbers(const std::string &name);

/// Registers of a thread of a kernel of this project, by its name, as ptxas
/// gives them for sm_90 (lib/Emulator/Registers.def); the most of all modules
/// that have a kernel of that name.
core::Result<int64_t> kernelRegisters(const std::string &kernel);

struct Prediction {
  int64_t issued = 0;                ///< warp instructions
  int64_t sectors = 0;               ///< asked of L1, of 32 bytes
  int64_t l1Hits = 0;                ///< of these
  int64_t l2Sectors = 0, l2Hits = 0; ///< reads, writes and atomics
  int64_t dramBytes = 0;
  int64_t residentBlocks = 0; ///< of a multiprocessor
  double occupancy = 0;       ///< resident warps over those it could hold
  double bytesInFlight = 0;   ///< of a multiprocessor, on average
  double issueSeconds = 0, l1Seconds = 0, l2Seconds = 0, dramSeconds = 0,
         latencySeconds = 0, launchSeconds = 0;
  double seconds = 0;        ///< at least the largest, and the launch
  const char *limit = "";    ///< the name of the largest
  double longestSeconds = 0; ///< of one launch, in a sum

  /// Of launches one after the other: counts and times are sums, all else is
  /// that of the longest.
  Prediction &operator+=(const Prediction &next);
};

/// What a GPU has run before a launch.
enum class Before { Same, Another };

/// What the launch would take. `registers` are those of a thread.
core::Result<Prediction> predict(const GpuNumbers &gpu,
                                 const LaunchReport &launch, int64_t registers,
                                 Before before = Before::Same);

/// What filling memory would take, a launch of its own.
Prediction predictFill(const GpuNumbers &gpu, int64_t bytes);

/// One line for each group of numbers.
std::string describe(const Prediction &prediction);

} // namespace astfe::emu

#endif // ASTFE_EMULATOR_MODEL_H
