//===- Processor.h - a block while it runs --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block at a time: its threads, what each waits for, and the checks that
// compiled code calls. A thread runs until it waits; the last one that a
// barrier or collective needs does its work and lets the others go on. Each
// processor has a host thread of its own.
//
// Errors end the launch: the text is kept, the fiber that found it is left
// where it is and never resumed.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_PROCESSOR_H
#define ASTFE_LIB_EMULATOR_PROCESSOR_H

#include "ASTFE/Emulator/Emulator.h"
#include "Code.h"
#include "Fiber.h"
#include "Memory.h"
#include "WarpLog.h"

#include <array>
#include <random>

namespace astfe::emu {

class Launch;
class Processor;

/// What a thread does that cannot run.
enum class Run : uint8_t { AtCollective, AtBarrier, Exited };

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
  Processor *processor = nullptr;
  uint16_t number = 0; ///< in its block
  Run run = Run::Exited;
  Wait wait;
  uint32_t lastSync = 0, lastSyncMask = 0; ///< of collectives of some lanes
  std::vector<PendingCopy> copies;
  int64_t copyGroup = 0; ///< the one that copies join
};

/// The thread that runs now, by host thread. One launch runs at a time in a
/// process.
extern thread_local Thread *currentThread;

/// The lanes that take part in a collective.
class Lanes {
public:
  /// Of threads that wait, whose arguments lie apart.
  Lanes(Thread *warp, uint32_t mask) : warp(warp), mask(mask) {}
  /// Of a warp that runs as one: for an argument, and for what lies at a byte
  /// of the result, the values of all lanes lie side by side.
  Lanes(const char *arguments, char *results, uint32_t mask)
      : arguments(arguments), results(results), mask(mask) {}
  /// Bytes from an argument of all lanes to the next.
  static constexpr size_t kArgumentBytes = 32 * 8;
  bool has(unsigned lane) const { return lane < 32 && (mask >> lane & 1); }
  template <typename T>
  T argument(unsigned lane, unsigned index) const {
    return *reinterpret_cast<const T *>(
        warp ? warp[lane].wait.arguments + 16 * index
             : arguments + kArgumentBytes * index + sizeof(T) * lane);
  }
  template <typename T>
  void result(unsigned lane, T value, unsigned offset = 0) const {
    *reinterpret_cast<T *>(warp ? warp[lane].wait.result + offset
                                : results + 32 * offset + sizeof(T) * lane) =
        value;
  }
  template <typename Function>
  void forEach(Function function) const {
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      function(unsigned(__builtin_ctz(rest)));
  }

private:
  Thread *warp = nullptr;
  const char *arguments = nullptr;
  char *results = nullptr;
  uint32_t mask;
};

/// What a processor keeps from one launch to the next.
struct Stacks {
  std::vector<Fiber> fibers;
  std::vector<LogMemory> logs; ///< by warp
};

class Processor final : private AccessObserver {
public:
  Processor(Launch &launch, unsigned number, Stacks &stacks);

  /// Makes room for the threads of a block.
  core::Status prepare();
  void runBlock(int64_t number);
  const std::string &error() const { return text; }
  uint32_t lastPhase() const { return phase; }

  // Called by compiled code, on the fiber of currentThread. After an error they
  // return at once; the caller then leaves with abandonIfFailed().
  void access(const Site &site, char *address, char *base, size_t size);
  /// The same between segments, for an access that none has logged.
  void accessOfHandler(const Site &site, char *address, char *base,
                       size_t size);
  /// Writes an access that no segment has logged to the thread's log, which has
  /// room for it.
  void logAccess(const Site &site, const char *address, size_t size);
  /// `thread.wait` says which.
  void collective(Thread &thread);
  void barrier(Thread &thread, const Wait &wait, bool arriveOnly);
  void growLog(Thread &thread);

  // The same for a warp that runs as one, of which `lanes` are here
  // (Lockstep.cpp). They leave by themselves after an error.
  void endSegment(WarpFrame &warp, uint32_t segment, uint32_t lanes);
  void access(WarpFrame &warp, const Site &site, const uint64_t *addresses,
              const uint64_t *bases, size_t size, uint32_t lanes);
  void collective(WarpFrame &warp, Compute compute, int maskIndex,
                  uint32_t lanes, const char *arguments, char *results);
  /// A collective without a function, or whose results are known.
  void passCollective(WarpFrame &warp, uint32_t lanes);
  void barrier(WarpFrame &warp, const Wait &wait, uint32_t lanes,
               bool arriveOnly);
  /// The launch begins anew on fibers.
  void needFibers();

  void fail(const std::string &text);
  bool failed() const { return stopped.load(std::memory_order_relaxed); }
  /// Never returns after an error. Its callers own no memory.
  void abandonIfFailed() {
    while (failed())
      leave(*currentThread);
  }

  std::mt19937_64 random;

private:
  void startThreads(int64_t number);
  void startWarp(unsigned number);
  bool start(size_t thread);
  void runThread(Thread &thread);
  void endWarp(WarpFrame &warp);
  void observeWarp(unsigned number);
  void orderLanes(unsigned warp, uint32_t mask);
  bool isBarrier(const Wait &wait);
  void runThreads();
  bool runWarp(unsigned warp);
  [[noreturn]] static void threadMain();
  void exited(Thread &thread);
  void suspend(Thread &thread);
  void leave(Thread &thread);

  Fiber &fiberOf(const Thread &thread) {
    return stacks.fibers[runsWarps ? thread.number & ~31u : thread.number];
  }
  Thread *warpOf(const Thread &thread) {
    return &threads[thread.number / 32 * 32];
  }
  unsigned lanesOf(unsigned warp) const {
    return std::min<size_t>(32, threads.size() - size_t(warp) * 32);
  }
  uint32_t allLanesOf(unsigned warp) const {
    return lanesOf(warp) == 32 ? ~0u : (1u << lanesOf(warp)) - 1;
  }
  bool isReady(const Thread &thread) const {
    return warps[thread.number / 32].ready >> thread.number % 32 & 1;
  }
  bool is(const Thread &thread, Run run) const {
    return thread.run == run && !isReady(thread);
  }
  void stopAs(Thread &thread, Run run) {
    Warp &warp = warps[thread.number / 32];
    const uint32_t lane = 1u << thread.number % 32;
    thread.run = run;
    warp.ready &= ~lane;
    warp.atCollectives |= run == Run::AtCollective ? lane : 0;
    atBarriers += run == Run::AtBarrier;
  }
  bool checkAligned(const Thread &thread);
  void releaseBarrier(int32_t id, int32_t expected);
  uint32_t lanesAt(const Thread &thread);
  void finishCollective(Thread &thread);
  void mergeLogs(unsigned warp, uint32_t mask);
  void mergeAllLogs();
  void endLogs();
  void accessShared(const Site &site, char *address, size_t size);
  void accessGlobal(const Site &site, char *address, char *base, size_t size);
  void openWindow(const Site &site, const char *begin, size_t bytes,
                  size_t size);
  void observe(const WarpAccess &access) override;
  void noteGlobal(Allocation &allocation, const WarpAccess &access);
  void noteShared(const WarpAccess &access);
  bool races(Shadow &shadow, const char *begin, uint32_t firstPhase,
             const WarpAccess &access);
  void checkRace(Shadow &shadow, size_t offset, size_t size, const Site &site,
                 const char *space);
  Allocation *allocationOf(const Site &site, char *base);
  Clock clockOf(const Thread &thread) const;
  Counters &counters();

  std::string deadlock() const;
  std::string waitOf(const Thread &thread) const;

  Launch &launch;
  const Code &code;
  const bool runsWarps;             ///< as one fiber each
  const bool inOrder;               ///< as Options::schedule says
  const std::atomic<bool> &stopped; ///< the launch is
  const unsigned number;            ///< of this processor
  Stacks &stacks;
  std::string text; ///< of the error

  Fiber host;
  std::vector<Thread> threads;
  std::vector<Window> windows;
  std::vector<WarpFrame> frames; ///< by warp
  std::vector<Row> rows;
  struct Warp {
    uint32_t ready = 0;        ///< lanes that can run
    uint32_t interval = 0;     ///< collectives so far
    uint32_t lastFull = 0;     ///< interval after the last one of all lanes
    bool partlySynced = false; ///< one was not of all lanes
    /// The collective that lanes came to last.
    uint32_t gatheringMask = 0, arrived = 0;
    Compute compute = nullptr;
    uint32_t atCollectives = 0; ///< lanes that wait at any
    WarpProgress progress;
  };
  std::vector<Warp> warps;
  std::unique_ptr<LogMerger> merger;
  std::vector<unsigned> warpOrder, laneOrder;
  struct Arrivals {
    int32_t waiting = 0, passing = 0; ///< passing: arrived without waiting
  };
  std::array<Arrivals, 16> arrivals; ///< by barrier
  int32_t live = 0;                  ///< threads that have not exited
  int32_t atBarriers = 0;            ///< threads that wait at any
  std::vector<char> sharedMemory;
  char *shared = nullptr;
  size_t sharedBytes = 0;
  std::unique_ptr<Shadow> sharedShadow;

  /// An address whose site does not say so was one of a thread's stack, or of
  /// shared memory.
  bool usesLocal = false, usesUnnamedShared = false;
  bool overLimit = false; ///< a thread has run for longer than it may

  unsigned observedWarp = 0; ///< whose logs are merged
  int64_t block = 0;         ///< the one that runs
  uint32_t blocksBefore = 0; ///< run by this processor in this launch
  uint32_t phase = 0, blockFirstPhase = 0;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_PROCESSOR_H
