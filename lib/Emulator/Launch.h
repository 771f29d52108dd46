//===- Launch.h - a kernel while it runs ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch is attempted up to a few times, each time from the same memory:
//
//   1. quickly, and where the kernel can, with warps that run as one
//      (WarpCode.h): blocks in turn to one processor per host thread, accesses
//      checked by compiled code, races looked for warp by warp, and after the
//      last block between the processors, since blocks are never ordered. It
//      begins anew if it writes an allocation that it had read without
//      recording it (Memory.h), and with a fiber for each thread if its warps
//      do what only these can.
//   2. precisely, on fibers, if that met any error: block after block, each
//      access looked at when it happens. This gives the error, whose text so
//      depends neither on the host nor on how the first attempt found it.
//
// What an attempt wrote is put back before the next.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_LAUNCH_H
#define ASTFE_LIB_EMULATOR_LAUNCH_H

#include "Processor.h"

#include <mutex>

namespace astfe::emu {

/// What outlives a launch: stacks, and the numbering of phases.
struct Machine {
  Memory memory;
  Options options;
  std::array<Stacks, kMostProcessors> stacks;
  uint32_t lastPhase = 0, lastBlock = 0;
};

class Launch {
public:
  Launch(Machine &machine, Kernel &kernel, const rt::LaunchShape &shape,
         void **params)
      : machine(machine), kernel(kernel), shape(shape), params(params) {}

  core::Status run();
  LaunchReport takeReport() { return std::move(report); }

  /// A thread is about to read the allocation.
  void beginRead(Allocation &allocation);
  /// A thread is about to write the allocation for the first time.
  void beginWrite(Allocation &allocation);
  /// Whether each access is looked at when it happens.
  bool isPrecise() const { return precise; }
  /// Two threads meet in the allocation, perhaps in order.
  void askForShadow(Allocation &allocation) {
    allocation.needsShadow = true;
    stop(Stop::Again);
  }
  /// Whether a fiber runs a whole warp, and the code for that.
  bool runsWarps() const { return warps; }
  const Code &code() const { return warps ? kernel.warps : kernel.fibers; }
  /// Warps cannot run as one: the launch begins anew.
  void askForFibers() {
    kernel.needsFibers = true;
    stop(Stop::Again);
  }
  /// Ends the attempt.
  void stopForError() { stop(Stop::Error); }
  /// The block whose phases `conflict` lies in, when blocks run in turn.
  int64_t blockOf(uint32_t conflictPhase, int64_t current) const;
  std::string nameOf(int64_t blockNumber, uint16_t thread) const;

  std::atomic<bool> stopped{false}; ///< the attempt ends
  Machine &machine;
  Kernel &kernel;
  const rt::LaunchShape &shape;
  void **const params;
  LaunchReport report;
  uint32_t firstPhase = 0;
  /// Of Owners; 0: there are too many blocks for them.
  uint32_t firstBlock = 0;
  std::vector<uint32_t> firstPhases; ///< by block

private:
  enum class Stop : uint8_t { None, Error, Again };

  core::Status check() const;
  std::vector<int64_t> blocksInOrder();
  core::Status attempt(unsigned processors);
  core::Status chooseCode();
  core::Status runBlocks(std::vector<std::unique_ptr<Processor>> &processors,
                         const std::vector<int64_t> &order);
  bool racesBetween(unsigned processors);
  bool mustRepeat(unsigned processors);
  void putBack(bool restore);
  void stop(Stop why);

  std::atomic<Stop> reason{Stop::None};
  bool precise = false, warps = false;
  std::mutex writing;
};

/// The position of a linear number in a grid or block.
rt::Extent3 position(int64_t number, const rt::Extent3 &extent);
/// "(1,0,0)".
std::string text(const rt::Extent3 &extent);

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_LAUNCH_H
