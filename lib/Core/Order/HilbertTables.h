//===- HilbertTables.h - several rounds of the Hilbert curve at once ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between rounds, the Hilbert curve is in one of D 2^(D-1) states: a direction
// and an entry point of even parity. A table maps (state, the next r bits of
// each axis) to (r rounds of the key, next state). Axes whose bits are used up
// change the round, so the levels are cut into phases with the same axes, and a
// phase into steps of nearly equal r. A step runs over a stretch of points
// before the next one begins: its constants stay in registers and points are
// independent.
//
//   2-D, 20 bits a mode: 4 steps of 5 rounds, one table of 4 x 1024 entries.
//
// Above six modes a table of a single round outgrows the cache; there the
// rounds are computed.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_HILBERTTABLES_H
#define ASTFE_LIB_CORE_ORDER_HILBERTTABLES_H

#include "ASTFE/Core/Order/Order.h"
#include <map>

namespace astfe::core {

/// The rounds of the levels level + rounds - 1 down to level.
struct HilbertStep {
  unsigned level, rounds;
  unsigned axes; ///< bit k: mode k has bits at these levels
  /// The key's bits go to (bits << left) >> right; right cuts off what a key of
  /// 64 bits has no room for.
  unsigned left = 0, right = 0;
  /// Entries: next state << 16 | bits of the key. Null: compute the rounds.
  const uint32_t *table = nullptr;
  /// How many bits of the key it makes.
  unsigned width() const;
};

class HilbertTables {
public:
  static bool processorHasAvx2();

  /// An order of kind Hilbert or Panels and at least two modes.
  HilbertTables(const Order &order, bool useAvx2);
  HilbertTables(HilbertTables &&) = default;

  void encode(ArrayRef<const int32_t *> coordinates, size_t count,
              uint64_t *keys) const;
  void encode(ArrayRef<const int64_t *> coordinates, size_t count,
              uint64_t *keys) const;

private:
  void addPhase(unsigned level, unsigned rounds, unsigned axes);
  const uint32_t *getTable(unsigned rounds, unsigned axes);
  template <typename T>
  void encodeAll(ArrayRef<const T *> coordinates, size_t count,
                 uint64_t *keys) const;

  unsigned rank;
  bool useAvx2;
  /// Panels: the key begins with the leadBits of axis 0 above panelBits.
  unsigned panelBits = 0, leadBits = 0;
  /// Bits of the key so far, while steps are added.
  unsigned used = 0;
  std::vector<HilbertStep> steps;
  /// By rounds and axes; steps point into the vectors.
  std::map<std::pair<unsigned, unsigned>, std::vector<uint32_t>> tables;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_HILBERTTABLES_H
