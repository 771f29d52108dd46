//===- HilbertRound.h - one round of the Hilbert curve --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables of the fast encoders are made from.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_HILBERTROUND_H
#define ASTFE_LIB_CORE_ORDER_HILBERTROUND_H

#include "ASTFE/Core/Order/Order.h"

namespace astfe::core {

/// The curve between two rounds, as a number below D 2^(D-1): the lowest bit of
/// the entry point follows from its parity.
struct HilbertState {
  unsigned entry, direction;

  static HilbertState decode(unsigned rank, unsigned number);
  unsigned encode(unsigned rank) const {
    return (entry >> 1) * rank + direction;
  }
};

inline unsigned hilbertStates(unsigned rank) { return rank << (rank - 1); }

/// One round: takes bit k of `point` as mode k's bit, returns the key's bits,
/// one for each of `axes`, and moves the state on.
unsigned takeHilbertRound(unsigned rank, unsigned axes, unsigned point,
                          HilbertState &state);

/// Levels of the curve at which the same axes have bits: level + rounds - 1
/// down to level.
struct HilbertPhase {
  unsigned level, rounds;
  unsigned axes; ///< bit k: mode k has bits here
};

/// How the key of an order of kind Hilbert or Panels is made: the leadBits of
/// axis 0 above panelBits (Panels only), then the phases.
struct HilbertPhases {
  explicit HilbertPhases(const Order &order);

  unsigned panelBits = 0, leadBits = 0;
  /// The bits of each mode below.
  std::array<unsigned, kMaxRank> bits{};
  std::vector<HilbertPhase> phases;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_HILBERTROUND_H
