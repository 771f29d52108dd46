//===- Cursor.h - a walk from the whole space to a cell -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition of the four orders, as a state that is halved step by step.
//
//   rows     the bits of axis 0 from the highest down, then those of axis 1,
//   ...
//   morton   rounds from the highest level down; a round of level i splits each
//            axis with b_k > i once, axis 0 first
//   hilbert  the same rounds, but the axes come rotated by a direction d, and
//   an
//            entry point e and the splits before in this round say which half
//            comes first
//   panels   axis 0 down to 2^panelLog2 rows, then hilbert on what is left
//
// Hilbert in the terms of Hamilton and Rau-Chaplin, "Compact Hilbert indices"
// (2008): l = (point's bits ^ e) rotated right by d+1, and w is l's Gray code
// inverse, so bit j of w is bit j+1 of w xor bit j of l. Reading from the
// highest j down, each bit that is free (its axis has a bit at this level) is
// one split of axis (j + d + 1) mod D, and one bit of the key. Bits that are
// not free have 0 as point's bit; they move the curve but take no room in the
// key.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_CURSOR_H
#define ASTFE_LIB_CORE_ORDER_CURSOR_H

#include "ASTFE/Core/Order/Order.h"

namespace astfe::core {

class Cursor {
  /// Where a walk is in its rounds; masks have a bit for each mode.
  struct State {
    bool finished = false;
    /// The round's level i; before the first round, one more than the highest.
    int8_t level = 0;
    /// The place j in the round, from D - 1 down to 0; -1 between rounds.
    int8_t place = -1;
    /// Bits k: mode k had a bit at this level when the round began.
    uint8_t free = 0;
    /// Hilbert's entry point, direction, and the bits of w down to place + 1.
    uint8_t entry = 0, direction = 0, word = 0;
  };

public:
  /// What a step changed, so that it can be taken back.
  struct Step {
    State before;
    uint8_t axis = 0;
  };

  explicit Cursor(const Order &order);

  /// True at a single cell.
  bool done() const { return state.finished; }
  /// Not at a single cell.
  Order::Split split() const;
  /// To the half that comes first (false) or second (true).
  Step descend(bool second);
  /// Back to where the last step that is not taken back came from.
  void ascend(const Step &step);
  /// To the half that holds `point`; returns which.
  bool descendTo(ArrayRef<int64_t> point);
  const Box &box() const { return current; }

private:
  /// Above the panels, where there are no rounds yet.
  bool leading() const;
  unsigned axis() const;
  void beginRound();
  /// Past one place of a round, with its bit of w.
  void advance(bool bit);
  /// On to the next place that is a split, or to the end.
  void settle();

  OrderKind kind;
  Box current;
  /// Panels: log2 of the rows where the curve takes over.
  unsigned panelBits;
  State state;
};

/// Hilbert's state after a round that read `word`: the entry point and the
/// direction of the sub-box (the paper's e(w) and d(w)), composed with the
/// state before.
void enterHilbertChild(unsigned rank, unsigned word, unsigned &entry,
                       unsigned &direction);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_CURSOR_H
