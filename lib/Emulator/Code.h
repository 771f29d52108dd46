//===- Code.h - what compiled code and the emulator share -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rewriter cuts each basic block into *segments*: runs of instructions
// without a collective, barrier or call. A thread that begins a segment appends
// one entry to its log and reserves one for each access of the segment; each
// access puts its address there:
//
//   %v = load float, ptr %p     log: [segment 3] [%p] [%q]
//   store float %v, ptr %q
//
// The logs of a warp's lanes lie side by side: row i has the entries i of all
// lanes, so that lanes that run the same write, and are read, line by line.
//
// When lanes meet, their logs are merged into what the warp did (WarpLog.h).
//
// An access is checked by compiled code alone where it lies in the extent that
// the site's Window says. The emulator opens a window when it has seen one
// access of the site; shared memory that the code names has its window from the
// start. Races are looked for when the logs are merged.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_CODE_H
#define ASTFE_LIB_EMULATOR_CODE_H

#include "ASTFE/Runtime/Device.h"
#include "Shadow.h"

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace astfe::emu {

struct Allocation;
class Processor;

/// An access or call in the compiled code, made once by the rewriter.
struct Site {
  std::string what; ///< "load of 16 bytes from argument 3"
  AccessKind kind = AccessKind::Read;
  uint32_t number = ~0u; ///< of its window; ~0: none
  uint32_t alignment = 1;
  /// A shared variable: where it lies in the block's shared memory.
  bool isShared = false;
  uint32_t sharedOffset = 0, sharedBytes = 0;
  bool isDynamicShared = false;
};

/// What a site may touch without asking; one for each site and processor.
/// Compiled code tests `address - begin < extent`, and for a base that is no
/// argument of the kernel also `base - begin < extent + bytes`.
struct Window {
  uint64_t begin = 0;
  uint64_t extent = 0;       ///< 0: ask each time
  Allocation *hit = nullptr; ///< the allocation met last
  bool hasHitMany = false;   ///< another one before
};

/// One access of a segment.
struct LoggedAccess {
  uint16_t entry; ///< of the segment's addresses in the log
  AccessKind kind;
  uint32_t bytes; ///< vectors may have more than 255
  /// It needs a value that an earlier access has loaded, so that the warp waits
  /// before it.
  bool waits;
  bool isShared;   ///< named shared memory
  uint32_t window; ///< of its site
};

struct Segment {
  uint32_t instructions = 0; ///< for one lane
  uint32_t issued = 0;       ///< as a GPU's compiler would emit them
  /// Its last instructions use values that its last accesses load.
  bool waitsAtEnd = false;
  /// As a scheduler that hoists loads issues them: those first that depend on
  /// the fewest others.
  std::vector<LoggedAccess> accesses;
};

/// From an entry of a lane's log to the next: the width of a row.
constexpr size_t kLogStride = 32;

/// A log entry for an access that is made by the emulator, not by a segment's
/// code; the address follows.
struct HandlerEntry {
  static constexpr uint64_t kFlag = uint64_t(1) << 63;
  static uint64_t encode(AccessKind kind, size_t bytes) {
    return kFlag | uint64_t(kind) << 56 | bytes;
  }
  static AccessKind kind(uint64_t entry) { return AccessKind(entry >> 56 & 3); }
  static size_t bytes(uint64_t entry) { return entry & 0xffffffffffffff; }
};

/// What compiled code reads of its thread. Sizes are fixed: the rewriter turns
/// reads of special registers into loads at offsets of this struct.
struct Registers {
  int32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  int32_t lane, warp, warps, warpSize;
  int32_t laneEqual, laneLess, laneLessEqual, laneGreater, laneGreaterEqual;
  int32_t multiprocessor, multiprocessors;
  int64_t instructions;   ///< counted by compiled code; the clock registers
  char *shared;           ///< shared memory of the block
  uint64_t *log, *logEnd; ///< a loop asks for more room behind the end
  Window *windows;        ///< by Site::number
};

/// How the addresses of an access lie, lane by lane.
enum class Arrangement : uint32_t { Any, Same, InARow };

/// An access of a warp that runs as one: what a row of the logs is for others.
struct alignas(64) Row {
  uint64_t addresses[32];
  Arrangement arrangement;
};

/// What the code of a whole warp reads and writes.
struct alignas(64) WarpFrame {
  int32_t tid[3][32];
  Registers *registers; ///< of its first lane; others differ in few fields
  Row *rows;            ///< of the segment that runs, by entry
  uint32_t lanes;       ///< that have not exited
  uint32_t warp;
  Processor *processor;
  int64_t instructions; ///< at least as many as any lane has executed
  int64_t apart;        ///< the last of them, since all lanes were together
};

/// Who runs compiled code.
enum class Runners {
  Fibers, ///< one for each thread
  Warps   ///< one for each warp; not all kernels have such code
};

/// A kernel, compiled for one kind of runners.
struct Code {
  bool isMade = false; ///< when a launch asks for it first
  void (*entry)(void **params, WarpFrame *warp) = nullptr; ///< null: none
  const std::vector<Segment> *segments = nullptr;          ///< of its module
  size_t windows = 0;
  /// Log entries that a thread may add from one loop to the next.
  uint32_t logSlack = 0;
  uint32_t rows = 0;     ///< accesses of a segment, at most
  size_t stackBytes = 0; ///< more than a thread's, for values of 32 lanes
};

struct Kernel {
  std::string name;
  uint32_t sharedBytes = 0; ///< static
  /// The block size it was compiled for; x = 0: any.
  rt::Extent3 block{0, 1, 1};
  Code fibers, warps;
  /// Makes code of a kind.
  std::function<core::Status(Kernel &, Runners)> compile;
  /// A launch has met what only fibers can do.
  std::atomic<bool> needsFibers{false};
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_CODE_H
