//===- Owners.h - one thread a word, or all the same kind -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What most kernels do to global memory cannot race: in one launch, each word
// is touched by one thread, or only read, or only added to by atomics. This
// notes just that, a word of 32 bits for each 4 bytes of memory. Where it does
// not hold (threads of a block that exchange values through global memory, say)
// the launch begins anew with a Shadow of the allocation, which knows of
// barriers.
//
//   word: block 18 | thread 10 | several threads 1 | atomic, write, read 3
//
// Blocks are numbered through the life of the device, so that words of earlier
// launches are told by their number. O(1) per word.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_OWNERS_H
#define ASTFE_LIB_EMULATOR_OWNERS_H

#include "Shadow.h"

namespace astfe::emu {

class Owners {
public:
  static constexpr uint32_t kMostBlocks = (1u << 18) - 1;

  /// For memory of `bytes` bytes.
  explicit Owners(size_t bytes)
      : words(bytes / 4 + 1),
        cells(static_cast<uint32_t *>(std::calloc(words, sizeof(uint32_t)))) {}

  /// Notes an access by a thread of a block, in a launch whose first block has
  /// the number `firstBlock`. False: it needs a Shadow.
  bool note(size_t offset, size_t size, AccessKind kind, uint32_t firstBlock,
            uint32_t block, uint32_t thread) {
    if (((offset | size) & 3) || !cells)
      return false;
    const uint32_t bit = 1u << unsigned(kind);
    const uint32_t owner = block << 14 | thread << 4;
    uint32_t *cell = &cells.get()[offset >> 2], *end = cell + (size >> 2);
    for (; cell < end; ++cell) {
      const uint32_t before = *cell;
      const uint32_t kinds = (before & kKinds) | bit;
      if (before >> 14 < firstBlock)
        *cell = owner | bit;
      else if ((before & ~kKinds) == owner)
        *cell = owner | kinds;
      else if (isHarmless(kinds))
        *cell = before | kSeveral;
      else
        return false;
    }
    return true;
  }

  /// Whether two processors, which ran different blocks, touched a word so that
  /// they race.
  static bool meet(const Owners &a, const Owners &b, uint32_t firstBlock) {
    if (!a.cells || !b.cells)
      return true;
    // Without a branch, which lets the compiler take several at once.
    uint32_t race = 0;
    const uint32_t *ofA = a.cells.get(), *ofB = b.cells.get();
    for (size_t i = 0; i < a.words; ++i) {
      const uint32_t kinds = (ofA[i] | ofB[i]) & kKinds;
      race |= uint32_t(ofA[i] >> 14 >= firstBlock) &
              uint32_t(ofB[i] >> 14 >= firstBlock) & uint32_t(kinds != kReads) &
              uint32_t(kinds != kAtomics);
    }
    return race;
  }

private:
  static constexpr uint32_t kKinds = 7, kSeveral = 8,
                            kReads = 1u << unsigned(AccessKind::Read),
                            kAtomics = 1u << unsigned(AccessKind::Atomic);
  /// Only reads, or only atomics.
  static bool isHarmless(uint32_t kinds) {
    return kinds == kReads || kinds == kAtomics;
  }
  struct Freer {
    void operator()(void *memory) const { std::free(memory); }
  };

  size_t words;
  std::unique_ptr<uint32_t, Freer> cells;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_OWNERS_H
