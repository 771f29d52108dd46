//===- Launch.h - a kernel while it runs ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one block at a time, what each waits for, and the checks that
// compiled code calls. A thread runs until it waits; the last one that a
// barrier or collective needs does its work and lets the others go on.
//
// Errors end the launch: the text is kept, the fiber that found it is left
// where it is and never resumed.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_LAUNCH_H
#define ASTFE_LIB_EMULATOR_LAUNCH_H

#include "ASTFE/Emulator/Emulator.h"
#include "Fiber.h"
#include "Memory.h"

#include <array>
#include <random>

namespace astfe::emu {

class Launch;

/// What compiled code reads of its thread. Sizes are fixed: the rewriter turns
/// reads of special registers into loads at offsets of this struct.
struct Registers {
  int32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  int32_t lane, warp, warps, warpSize;
  int32_t laneEqual, laneLess, laneLessEqual, laneGreater, laneGreaterEqual;
  int32_t multiprocessor, multiprocessors;
  int64_t instructions; ///< counted by compiled code; the clock registers
  char *shared;         ///< shared memory of the block
};

/// An access or call in the compiled code, made once by the rewriter.
struct Site {
  std::string what; ///< "load of 16 bytes from argument 3"
  AccessKind kind = AccessKind::Read;
  uint32_t alignment = 1;
  /// A shared variable: where it lies in the block's shared memory.
  bool isShared = false;
  uint32_t sharedOffset = 0, sharedBytes = 0;
  bool isDynamicShared = false;
  /// The allocation met last, and the generation() of then.
  Allocation *hit = nullptr;
  uint64_t generation = 0;
};

struct Kernel {
  std::string name;
  void (*entry)(void **params) = nullptr;
  uint32_t sharedBytes = 0; ///< static
  /// The block size it was compiled for; x = 0: any.
  rt::Extent3 block{0, 1, 1};
};

enum class Run : uint8_t { Ready, AtCollective, AtBarrier, Exited };

/// Computes a collective for all lanes of `mask`, whose arguments and results
/// are in the lanes' Wait. Returns an error's text, or an empty one.
class Lanes;
using Compute = std::string (*)(Lanes lanes);

struct Wait {
  const Site *site = nullptr;
  const char *arguments = nullptr; ///< 16 bytes each
  char *result = nullptr;
  Compute compute = nullptr;
  uint32_t mask = 0;
  int32_t barrier = 0;
  int32_t expected = 0; ///< threads; 0: all of the block
  bool aligned = false;
};

/// A cp.async that has read and not yet written.
struct PendingCopy {
  const Site *site;
  char *to;
  unsigned bytes;
  int64_t group; ///< of its thread, counted by commits
  char data[16];
};

struct Thread {
  Registers registers; ///< first: compiled code reads it
  Launch *launch = nullptr;
  uint16_t number = 0; ///< in its block
  Run run = Run::Exited;
  Wait wait;
  uint32_t lastFull = 0, lastSync = 0, lastSyncMask = 0;
  int64_t issued = 0; ///< instructions counted in Counters::warpInstructions
  std::vector<PendingCopy> copies;
  int64_t copyGroup = 0; ///< the one that copies join
};

/// The thread that runs now. One launch runs at a time in a process.
extern Thread *currentThread;

/// The lanes that take part in a collective.
class Lanes {
public:
  Lanes(Thread *warp, uint32_t mask) : warp(warp), mask(mask) {}
  bool has(unsigned lane) const { return lane < 32 && (mask >> lane & 1); }
  template <typename T>
  T argument(unsigned lane, unsigned index) const {
    return *reinterpret_cast<const T *>(warp[lane].wait.arguments + 16 * index);
  }
  template <typename T>
  void result(unsigned lane, T value, unsigned offset = 0) const {
    *reinterpret_cast<T *>(warp[lane].wait.result + offset) = value;
  }
  template <typename Function>
  void forEach(Function function) const {
    for (unsigned lane = 0; lane < 32; ++lane)
      if (has(lane))
        function(lane);
  }

private:
  Thread *warp;
  uint32_t mask;
};

/// What outlives a launch: stacks, and the numbering of phases.
struct Machine {
  Memory memory;
  Options options;
  std::vector<Fiber> fibers;
  uint32_t lastPhase = 0;
};

class Launch {
public:
  Launch(Machine &machine, const Kernel &kernel, const rt::LaunchShape &shape,
         void **params)
      : machine(machine), kernel(kernel), shape(shape), params(params) {}

  core::Status run();
  LaunchReport takeReport() { return std::move(report); }

  // Called by compiled code, on the fiber of currentThread. After an error they
  // return at once; the caller then leaves with abandonIfFailed().
  void access(Site &site, char *address, char *base, size_t size);
  void collective(Thread &thread, const Wait &wait);
  void barrier(Thread &thread, const Wait &wait, bool arriveOnly);
  void fail(const std::string &text);
  bool failed() const { return !error.empty(); }
  /// Never returns after an error. Its callers own no memory.
  void abandonIfFailed() {
    while (!error.empty())
      suspend(*currentThread);
  }

private:
  core::Status check() const;
  core::Status prepare();
  void runBlock(int64_t number);
  void startThreads(int64_t number);
  void runThreads();
  bool runWarp(unsigned warp);
  [[noreturn]] static void threadMain();
  void exited(Thread &thread);
  void suspend(Thread &thread);
  template <typename T>
  void shuffle(std::vector<T> &order);

  Thread *warpOf(const Thread &thread) {
    return &threads[thread.number / 32 * 32];
  }
  unsigned lanesOf(unsigned warp) const {
    return std::min<size_t>(32, threads.size() - size_t(warp) * 32);
  }
  bool checkAligned(const Thread &thread);
  void releaseBarrier(int32_t id, int32_t expected);
  uint32_t lanesAt(const Thread &thread);
  void finishCollective(Thread &thread);
  void countIssued(Thread *warp, uint32_t mask);
  void touch(const char *address, size_t size);
  void accessShared(Site &site, char *address, size_t size);
  void accessGlobal(Site &site, char *address, char *base, size_t size);
  void checkRace(Shadow &shadow, size_t offset, size_t size, Site &site,
                 const char *space);
  Allocation *allocationOf(Site &site, char *base);
  Clock clockOf(const Thread &thread) const;
  Counters &counters() { return report.blocks[size_t(block)]; }

  std::string nameOf(int64_t blockNumber, uint16_t thread) const;
  std::string deadlock() const;
  std::string waitOf(const Thread &thread) const;

  Machine &machine;
  const Kernel &kernel;
  const rt::LaunchShape &shape;
  void **params;

  LaunchReport report;
  std::string error;
  std::mt19937_64 random;
  Fiber host;
  std::vector<Thread> threads;
  std::vector<uint32_t> intervals; ///< by warp
  /// Sectors touched since the warp's last collective, by warp.
  std::vector<std::vector<uintptr_t>> touched;
  /// The collective that lanes came to last, by warp.
  struct Gathering {
    uint32_t mask = 0, arrived = 0;
    Compute compute = nullptr;
  };
  std::vector<Gathering> gatherings;
  std::vector<unsigned> warpOrder, laneOrder;
  struct Arrivals {
    int32_t waiting = 0, passing = 0; ///< passing: arrived without waiting
  };
  std::array<Arrivals, 16> arrivals; ///< by barrier
  int32_t live = 0;                  ///< threads that have not exited
  std::vector<char> sharedMemory;
  char *shared = nullptr;
  size_t sharedBytes = 0;
  std::unique_ptr<Shadow> sharedShadow;

  int64_t block = 0; ///< the one that runs
  uint32_t launchFirstPhase = 0, phase = 0;
  std::vector<uint32_t> firstPhase; ///< by block
};

/// "(1,0,0)".
std::string text(const rt::Extent3 &extent);

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_LAUNCH_H
