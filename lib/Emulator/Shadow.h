//===- Shadow.h - who touched which bytes last ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds data races: two accesses to the same bytes by different threads of one
// launch, not both reads and not both atomics, that nothing orders. Order comes
// from barriers (between threads of a block) and warp collectives (between the
// lanes that took part); nothing orders two blocks.
//
// Time is counted, never measured. A *phase* is the time of one block between
// two of its barriers; phases are numbered upwards through the life of the
// device, and blocks run one after another, so a phase names its block and its
// launch:
//
//   launch 1: block 0: phases 1 2   block 1: phases 3 4    launch 2: ... 5 ...
//
// An *interval* is the time of one warp between two of its collectives.
//
// Each cell (4 bytes; 1 byte once something narrower has been written) has a
// record for reads, one for plain writes, one for atomics: phase, interval and
// thread of the last access, and whether there were others beside it in several
// blocks, several warps of the phase, or several lanes of the interval. That is
// all a later access needs in order to know whether *some* earlier one is
// unordered with it, so nothing is missed by forgetting older accesses, but for
// collectives of part of a warp. O(1) per cell; untouched memory costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_SHADOW_H
#define ASTFE_LIB_EMULATOR_SHADOW_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace astfe::emu {

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// The thread that accesses, and what it is ordered with.
struct Clock {
  uint32_t launchFirstPhase, blockFirstPhase, phase;
  uint32_t interval;     ///< collectives of its warp so far
  uint16_t thread;       ///< linear number in its block
  uint32_t lastFull;     ///< interval after its last collective of a whole warp
  uint32_t lastSync;     ///< interval after its last collective of any lanes
  uint32_t lastSyncMask; ///< the lanes of that one
};

/// An earlier access that is not ordered with the present one.
struct Conflict {
  AccessKind kind;
  uint32_t phase;
  uint16_t thread;
  size_t offset; ///< first byte in common
};

class Shadow {
public:
  /// For memory of `bytes` bytes.
  explicit Shadow(size_t bytes) : bytes(bytes) {}

  /// Notes an access. True, and `conflict` set, if it races.
  bool access(size_t offset, size_t size, AccessKind kind, const Clock &clock,
              Conflict &conflict);
  /// The same for lanes of a warp, one after another, each of `size` bytes at
  /// its address, for memory that begins at `begin`. `clock` is that of the
  /// warp's first thread, from which others differ in their number alone. True
  /// if one races; those behind it are not noted then.
  bool access(uint32_t lanes, const uint64_t *addresses, uint64_t begin,
              size_t size, AccessKind kind, Clock clock);

  /// Whether two shadows of the same memory, kept by processors that ran
  /// different blocks, hold accesses since `firstPhase` that race.
  static bool meet(const Shadow &a, const Shadow &b, uint32_t firstPhase);

private:
  struct Record {
    uint32_t phase, interval; ///< phase 0: never accessed
    uint16_t thread, flags;
  };
  struct Freer {
    void operator()(void *memory) const { std::free(memory); }
  };

  /// Cells whose last access is also noted for all of them together.
  static constexpr unsigned kChunkShift = 8;

  bool since(unsigned kind, size_t byte, uint32_t phase) const;
  static bool races(const Record &earlier, const Clock &clock);
  static void note(Record &record, const Clock &clock);
  bool makeRecords(AccessKind kind);
  void narrow();

  size_t bytes;
  unsigned cellShift = 2;
  /// By AccessKind; null until the first such access.
  std::unique_ptr<Record[], Freer> records[3];
  /// By AccessKind: phase of the last such access anywhere, and in each chunk.
  uint32_t lastPhase[3] = {0, 0, 0};
  std::vector<uint32_t> chunks[3];
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_SHADOW_H
