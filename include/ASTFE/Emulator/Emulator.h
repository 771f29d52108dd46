//===- Emulator.h - GPU kernels on the host, with checks ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Device that runs kernels without a GPU. It takes the LLVM bitcode that
// `gpu-module-to-binary{format=llvm}` leaves: the code after all optimisation,
// so that only the NVPTX backend and ptxas are not exercised. The bitcode is
// rewritten for the host (Rewrite.h) and compiled: a warp runs as one, or,
// where its kernel does not allow that, every GPU thread as a fiber, until each
// waits at a barrier or a warp collective. Blocks run one after another on each
// of several host threads. An error is found again with one host thread before
// it is reported (Launch.h), so that it is the same on every host.
//
// What stops a launch with an error, which names kernel, block and thread:
//   * an access outside the allocation that its pointer came from, or outside
//     the shared variable it names; a misaligned access; a write to a constant;
//   * a data race in shared or global memory: two accesses of different threads
//     to the same bytes, at least one a plain write or one plain and one
//     atomic, that no barrier or warp collective orders. Blocks of one launch
//     are never ordered;
//   * lanes of a warp at different collectives or barriers, a collective that
//     waits for a thread that has exited, a deadlock (with what each waits
//     for);
//   * a block size other than the kernel was compiled for;
//   * a thread that executes more instructions than a limit.
// Unknown intrinsics, inline assembly and unresolved functions are refused when
// the module is loaded, by name.
//
// What it does not see: weak memory ordering (fences are no operations, and
// order nothing for the race check, so that a flag protocol is reported as a
// race), blocks that wait for each other, time. A model of time reads what it
// counts and traces (Model.h).
//
// Worked example. Two blocks, `y[0] += 1` by thread 0 of each:
//   kernel 'k': race in global memory: plain write of 4 bytes to argument 0 at
//   byte 0 by block (1,0,0) thread (0,0,0), after a plain write by block
//   (0,0,0) thread (0,0,0), not ordered by a barrier
//
// Complexity: a range test per access to memory that the launch only reads, and
// a record per 4 bytes of other accesses; for kernels that only fibers can run,
// a switch per thread and barrier or collective. The shadow takes 12 bytes per
// 4 bytes that are recorded, for each host thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EMULATOR_EMULATOR_H
#define ASTFE_EMULATOR_EMULATOR_H

#include "ASTFE/Runtime/Device.h"

#include <functional>
#include <memory>
#include <vector>

namespace astfe::emu {

/// The order in which threads that can run do run. A program without races
/// gives the same result under all of them, but for the rounding of float
/// atomics.
enum class Schedule {
  InOrder, ///< blocks, warps and lanes by number, on each host thread
  Random   ///< each shuffled again and again, from the seed
};

struct LaunchReport;

struct Options {
  Schedule schedule = Schedule::InOrder;
  uint64_t seed = 1;
  bool checkBounds = true; ///< off: races are not checked either
  bool checkRaces = true;
  /// A thread that executes more has no end: it waits for another block, or the
  /// tables it walks are wrong.
  int64_t instructionLimit = int64_t(1) << 36;
  /// That blocks run on: 0 for the machine's, at most 8. With one, atomics of
  /// floats round the same way each time. Schedule::Random takes one.
  int64_t hostThreads = 0;
  /// Both above 0: of each run of `waveBlocks` blocks, as many as the device
  /// holds at a time, only `sampledWaves` run, evenly chosen. Counts are those
  /// of the sample, and results are incomplete.
  int64_t waveBlocks = 0, sampledWaves = 0;
  /// LaunchReport::traces, for a model of time.
  bool recordTraces = false;
  int64_t multiprocessors = 4;
  int64_t warpsPerMultiprocessor = 16;
  /// Called with each launch that has ended without an error.
  std::function<void(const LaunchReport &)> launched;
};

/// Work of one block.
struct Counters {
  /// Of LLVM IR, summed over threads; what only names a part of a register, or
  /// widens it, is none.
  int64_t instructions = 0;
  /// The same of warps: lanes that are at the same place run together.
  int64_t warpInstructions = 0;
  /// What warps issue, as ptxas would emit it (lib/Emulator/Issues.h).
  int64_t issued = 0;
  /// Transactions: sectors of 32 bytes of global memory that each access of a
  /// warp touches.
  int64_t sectors = 0;
  int64_t loads = 0, stores = 0, atomics = 0;
  int64_t loadBytes = 0, storeBytes = 0;
  int64_t collectives = 0; ///< of warps
  int64_t barriers = 0;

  Counters &operator+=(const Counters &other);
};

/// What the warps of a block issued to memory (WarpLog.h has the format).
struct BlockTrace {
  std::vector<std::vector<uint64_t>> warps;
};

struct LaunchReport {
  std::string kernel;
  int64_t blockThreads = 0;
  int64_t sharedBytes = 0;        ///< of a block
  std::vector<Counters> blocks;   ///< by linear number
  int64_t sampled = 0;            ///< blocks that ran
  std::vector<BlockTrace> traces; ///< by linear number, where recorded
  Counters total() const;
};

/// Of all launches.
struct LaunchTotals {
  int64_t launches = 0;
  Counters counters;
};

class Emulator final : public rt::Device {
public:
  explicit Emulator(Options options = {});
  ~Emulator() override;

  void setOptions(const Options &options);
  const Options &options() const;
  /// Counted during the last launch that ended without an error.
  const LaunchReport &lastLaunch() const;
  /// Counted during all launches that ended without an error.
  const LaunchTotals &totals() const;

  std::string name() override;
  int64_t multiprocessors() override;
  int64_t warpsPerMultiprocessor() override;
  std::string chip() override;
  core::Result<rt::Device *> sibling(int ordinal) override;

  core::Result<void *> loadModule(const void *image, size_t bytes) override;
  core::Status unloadModule(void *module) override;
  core::Result<void *> kernel(void *module, const char *name) override;
  core::Result<int64_t> residentBlocks(void *kernel, int64_t threads) override;
  core::Status launch(void *kernel, const rt::LaunchShape &shape, void *stream,
                      void **params) override;

  core::Result<void *> allocate(size_t bytes, bool hostShared) override;
  core::Status free(void *memory) override;
  core::Status checkMemory(const void *memory, size_t bytes) override;
  core::Status copy(void *to, const void *from, size_t bytes,
                    void *stream) override;
  core::Status fill32(void *to, uint32_t value, size_t count,
                      void *stream) override;
  core::Status fill16(void *to, uint16_t value, size_t count,
                      void *stream) override;
  core::Status registerHost(void *memory, size_t bytes) override;
  core::Status unregisterHost(void *memory) override;

  core::Result<void *> createStream() override;
  core::Status destroyStream(void *stream) override;
  core::Status synchronizeStream(void *stream) override;
  core::Status checkStream(void *stream) override;
  core::Status streamWait(void *stream, void *event) override;
  core::Result<void *> createEvent() override;
  core::Status destroyEvent(void *event) override;
  core::Status recordEvent(void *event, void *stream) override;
  core::Status synchronizeEvent(void *event) override;
  core::Result<double> secondsBetween(void *start, void *end) override;
  core::Status synchronize() override;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace astfe::emu

#endif // ASTFE_EMULATOR_EMULATOR_H
