//===- HilbertLanes.h - the Hilbert curve in the lanes of AVX-512 ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HilbertTables' state machine with tables so small that they are registers:
// vpermb looks up 64 bytes in a register, vpermt2b 128 in two (AVX-512 VBMI).
//
//   2-D   4 states x 2 bits of each axis =  64 entries: two rounds a step
//   3-D  12 states x 1 bit of each axis  =  96 entries: one round a step
//
// An entry is (next state, bits of the key) side by side, so that the next
// index is the entry with its low bits replaced by the coordinates' next ones:
//
//   2-D   index  s s x x y y      entry  s' s' k k k k
//   3-D   index  s s s s x y z    entry  s' s' s' s' k k k
//
// Sixteen points are the lanes of 32 bits of one register, and two registers
// are under way at a time. vpmultishiftqb picks the bits of eight steps out of
// a point's coordinates at once. Levels without bits of some axis have a table
// that ignores that axis' bits. Five instructions a step and sixteen points;
// measured 2.6 times HilbertTables' speed in 2-D, 3.6 times in 3-D, on a Zen 4.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_HILBERTLANES_H
#define ASTFE_LIB_CORE_ORDER_HILBERTLANES_H

#include "Order/HilbertRound.h"
#include <map>

namespace astfe::core {

class HilbertLanes {
public:
  static bool processorHasVbmi();
  /// Hilbert and Panels, 2 modes of at most 31 bits, or 3 of which the curve
  /// takes at most 21 each.
  static bool handles(const Order &order);

  /// An order that it handles. Only where processorHasVbmi().
  explicit HilbertLanes(const Order &order);
  HilbertLanes(HilbertLanes &&) = default;

  void encode(ArrayRef<const int32_t *> coordinates, size_t count,
              uint64_t *keys) const;
  void encode(ArrayRef<const int64_t *> coordinates, size_t count,
              uint64_t *keys) const;

  struct Table {
    alignas(64) std::array<uint8_t, 128> entries;
  };
  struct Step {
    size_t table;
    unsigned width; ///< bits of the key that it makes
    /// After it 32 bits of the key or less are complete and go to
    /// (bits << left) >> right.
    bool flush;
    unsigned left, right;
  };
  /// Up to eight steps: by axis, where in a point's 64 bits of coordinates each
  /// step's byte begins.
  struct Group {
    std::array<uint64_t, 3> places{};
    std::vector<Step> steps;
  };

private:
  void addSteps(const HilbertPhase &phase);
  void addStep(unsigned level, unsigned rounds, unsigned axes);
  size_t getTable(unsigned rounds, unsigned axes);

  unsigned rank;
  unsigned panelBits, leadBits;
  /// Bits of the key so far, and since the last flush, while steps are added.
  unsigned used = 0, pending = 0;
  std::vector<Group> groups;
  std::vector<Table> tables;
  std::map<std::pair<unsigned, unsigned>, size_t> tableOf;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_HILBERTLANES_H
