//===- Model.h - the time a GPU would take --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch cannot be faster than each of its limits: what a multiprocessor can
// issue, what its L1 can look up, what L2 and DRAM can move, and how long its
// warps wait for memory with as many of them as fit. The emulator has recorded
// what every warp issued (Options::recordTraces). The model replays that
// through the machine's caches: blocks go to multiprocessors in order, as many
// as fit, and the warps that are there take turns, one memory instruction each.
// The predicted time is the largest limit; which one it is says what to
// improve.
//
//   rows of B that fit L2, 32 warps a multiprocessor:
//     issue 41 us   L1 55 us   L2 80 us   DRAM 12 us   latency 61 us  -> 80 us
//
// The latency limit follows each warp: it waits for all that it has outstanding
// where an instruction needs a loaded value. A slot for a block takes its
// blocks one after another; the slot that takes longest is the limit, so that
// it also sees uneven blocks.
//
// The caches begin as an earlier launch of the same kernel leaves them: what is
// repeated finds its operands in L2 where they fit.
//
// What it does not see: bank conflicts, queues, partial overlap of two limits,
// clocks that fall under load, the dependence of one arithmetic instruction on
// another but on average. A prediction is for comparing kernels; it must be
// checked on hardware before a figure of time is quoted.
//
// Complexity: O(lines of all traces), about 50 ns each.
//
// Source: limits side by side as in Williams et al., "Roofline", 2009; waiting
// by Little's law; caches replayed as in arXiv 2204.14242, which estimates
// them.
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
  double clock;           ///< Hz
  double l1LinesPerCycle; ///< of a multiprocessor
  double l2BytesPerCycle; ///< to a multiprocessor
  double l2Bandwidth;     ///< bytes/s, to all
  double dramBandwidth;   ///< bytes/s
  double sharedLatency, l1Latency, l2Latency, dramLatency; ///< cycles
  double issueLatency;  ///< cycles from one instruction of a warp to the next
  double atomicSectors; ///< L2 transactions that an atomic one counts for
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
         latencySeconds = 0;
  double seconds = 0;        ///< the largest
  const char *limit = "";    ///< its name
  double longestSeconds = 0; ///< of one launch, in a sum

  /// Of launches one after the other: counts and times are sums, all else is
  /// that of the longest.
  Prediction &operator+=(const Prediction &next);
};

/// What the launch would take. `registers` are those of a thread.
core::Result<Prediction> predict(const GpuNumbers &gpu,
                                 const LaunchReport &launch, int64_t registers);

/// One line for each group of numbers.
std::string describe(const Prediction &prediction);

} // namespace astfe::emu

#endif // ASTFE_EMULATOR_MODEL_H
