//===- WarpLog.h - what a warp did, from the logs of its lanes ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes run one after another here; on a GPU they run together where they do
// the same. Merging their logs tells what the warp issues: at each step the
// lanes that are at the earliest segment run it together. Segments are numbered
// so that a loop's come before what follows the loop: lanes that leave early
// wait for the others, as reconvergence makes them.
//
//   lane 0: [1][2][2][3]      steps: 1 {0,1}, 2 {0,1}, 2 {0}, 3 {0,1}
//   lane 1: [1][2][3]
//
// A step issues its segment's instructions once. Each of its accesses is one
// warp instruction, whose lanes' addresses are joined into lines of 128 bytes
// with the sectors of 32 that are touched.
//
// Complexity: O(entries) where lanes agree; O(32) more a step where they do
// not.
//
// Warps that run as one (WarpCode.h) have no logs: what they say of each
// segment is what a step of the merging finds.
//
// Source: lowest-address-first reconvergence, Collange, "Stack-less SIMT
// reconvergence at low cost", 2011.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_WARPLOG_H
#define ASTFE_LIB_EMULATOR_WARPLOG_H

#include "ASTFE/Emulator/Emulator.h"
#include "Code.h"
#include "Fiber.h"

#include <memory>

namespace astfe::emu {

/// The memory behind Registers::log of the lanes of a warp.
class LogMemory {
public:
  uint64_t *begin(unsigned lane) { return entries.get() + lane; }
  /// Where a loop must ask for more room.
  uint64_t *limit() { return entries.get() + capacity * kLogStride; }
  /// The rows before an entry.
  size_t rowsBefore(const uint64_t *entry) const {
    return size_t(entry - entries.get()) / kLogStride;
  }
  /// Room for `least` rows at all, and `slack` behind the limit.
  void reserve(size_t least, size_t slack);
  /// Twice the room, with the first `used` rows kept.
  void grow(size_t used, size_t slack);

  static constexpr size_t kInitial = 512, kMost = size_t(1) << 20;

private:
  std::unique_ptr<uint64_t[]> entries;
  size_t capacity = 0, total = 0;
};

/// Where a warp's addresses lie that are not in global memory, though the code
/// does not say so. Null: there are none.
struct Spaces {
  const char *shared;
  size_t sharedBytes;
  const Fiber *fibers; ///< by lane, whose stacks are local memory
};

/// One access of a warp.
struct WarpAccess {
  uint32_t lanes;
  AccessKind kind;
  uint64_t bytes;
  bool isShared;   ///< named shared memory
  uint32_t window; ///< ~0: none
  Arrangement arrangement;
  const uint64_t *addresses; ///< by lane
};

/// Looks for races.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;
  virtual void observe(const WarpAccess &access) = 0;
};

/// What a warp issued to memory, in order: for each access a header, then its
/// lines.
///
///   header: kind 2 | waits 1 | shared 1 | lines 20 | registers 4 |
///           instructions since 28
///   line:   address / 128 in 60 | touched sectors 4
struct TraceHeader {
  AccessKind kind;
  bool waits; ///< for everything that was issued before
  bool inShared;
  uint32_t lines;
  uint32_t registers;    ///< of 32 bits that a lane loads or stores, at most 15
  uint32_t instructions; ///< issued since the header before, below 2^28

  uint64_t encode() const {
    return uint64_t(kind) << 62 | uint64_t(waits) << 61 |
           uint64_t(inShared) << 60 | uint64_t(lines) << 32 |
           uint64_t(registers) << 28 |
           std::min<uint32_t>(instructions, 0xfffffff);
  }
  static TraceHeader decode(uint64_t word) {
    return {AccessKind(word >> 62),     bool(word >> 61 & 1),
            bool(word >> 60 & 1),       uint32_t(word >> 32 & 0xfffff),
            uint32_t(word >> 28 & 0xf), uint32_t(word & 0xfffffff)};
  }
};

/// Joins the addresses of one warp instruction.
class Lines {
public:
  void clear() { count = 0; }
  void add(uint64_t address, uint64_t bytes) {
    // Most often a lane touches a sector of the line of the lane before.
    const uint64_t sector = address >> kSectorShift;
    if (count && (address + bytes - 1) >> kSectorShift == sector &&
        lines[count - 1] >> 4 == sector >> 2)
      lines[count - 1] |= uint64_t(1) << (sector & 3);
    else
      addAny(address, bytes);
  }
  uint64_t sectors() const;
  const uint64_t *begin() const { return lines.data(); }
  size_t size() const { return count; }

private:
  static constexpr unsigned kSectorShift = 5;

  void addAny(uint64_t address, uint64_t bytes);
  void addLine(uint64_t line, uint64_t touched);

  std::vector<uint64_t> lines;
  size_t count = 0;
};

/// Of one warp, from one merge to the next.
struct WarpProgress {
  int64_t instructions = 0; ///< issued since the last header
  bool waits = false;
};

class LogMerger {
public:
  /// An observer may be null.
  LogMerger(const std::vector<Segment> &segments, AccessObserver *observer)
      : segments(segments), observer(observer) {}

  /// Counts go there, from now on.
  void count(Counters &into) { counters = &into; }
  void setSpaces(const Spaces &known) { spaces = known; }
  /// Merges the logs of the lanes of `mask`, from the row `begin` to end[lane].
  void merge(uint32_t mask, const uint64_t *begin,
             const uint64_t *const (&end)[32]);
  /// What a warp did that runs as one: the lanes have executed the segment,
  /// whose accesses are in rows.
  void run(const Segment &segment, uint32_t lanes, const Row *rows);
  /// Also writes what the warp issues.
  void record(std::vector<uint64_t> *trace, WarpProgress *progress) {
    this->trace = trace;
    this->progress = progress;
  }

private:
  const uint64_t *mergeRows(const uint64_t *row,
                            const uint64_t *const (&end)[32]);
  void step(uint32_t lanes, uint64_t entry);
  void count(const Segment &segment, uint32_t lanes);
  void begin(const LoggedAccess &access);
  void gather(unsigned entry);
  void access(bool waits);
  bool joinLines();
  void joinEach();

  const std::vector<Segment> &segments;
  AccessObserver *const observer;
  Counters *counters = nullptr;
  Spaces spaces{};
  std::vector<uint64_t> *trace = nullptr;
  WarpProgress *progress = nullptr;
  const uint64_t *row = nullptr; ///< where all lanes are; null: `at` says
  const uint64_t *at[32];
  WarpAccess now;
  uint64_t gathered[32]; ///< addresses that do not lie in a row of the log
  Lines lines;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_WARPLOG_H
