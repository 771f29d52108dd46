//===- Cursor.cpp - a walk from the whole space to a cell -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/Cursor.h"
#include <algorithm>

using namespace astfe::core;

/// value mod rank, for less than twice the rank: a division would be half of a
/// step.
static unsigned wrap(unsigned value, unsigned rank) {
  return value < rank ? value : value - rank;
}

Cursor::Cursor(const Order &order)
    : kind(order.kind()), panelBits(order.panelLog2()) {
  current.rank = uint8_t(order.rank());
  for (unsigned k = 0; k < order.rank(); ++k) {
    unsigned bits = order.bits(k);
    current.log2[k] = uint8_t(bits);
    if (kind == OrderKind::Panels && k == 0)
      bits = std::min(bits, panelBits);
    state.level = std::max(state.level, int8_t(bits));
  }
  settle();
}

bool Cursor::leading() const {
  return kind == OrderKind::Panels && current.log2[0] > panelBits;
}

unsigned Cursor::axis() const {
  if (kind == OrderKind::Rows || leading()) {
    unsigned k = 0;
    while (current.log2[k] == 0)
      ++k;
    return k;
  }
  if (kind == OrderKind::Morton)
    return unsigned(current.rank - 1 - state.place);
  return wrap(unsigned(state.place) + state.direction + 1, current.rank);
}

Order::Split Cursor::split() const {
  assert(!state.finished && "a cell cannot be split");
  unsigned k = axis();
  if (kind == OrderKind::Rows || kind == OrderKind::Morton || leading())
    return {k, false};
  // The half whose bit of w is 0 comes first: its bit of l is that of w above.
  unsigned above = unsigned(state.word) >> (state.place + 1);
  return {k, bool((above ^ (unsigned(state.entry) >> k)) & 1)};
}

Cursor::Step Cursor::descend(bool second) {
  Order::Split s = split();
  Step step{state, uint8_t(s.axis)};
  bool upper = second != s.upperFirst;
  bool inRound = kind != OrderKind::Rows && !leading();
  --current.log2[s.axis];
  current.lower[s.axis] |= int64_t(upper) << current.log2[s.axis];
  if (inRound)
    advance(second);
  settle();
  return step;
}

void Cursor::ascend(const Step &step) {
  state = step.before;
  uint8_t &log2 = current.log2[step.axis];
  current.lower[step.axis] &= ~(int64_t(1) << log2);
  ++log2;
}

bool Cursor::descendTo(ArrayRef<int64_t> point) {
  Order::Split s = split();
  bool upper = (point[s.axis] >> (current.log2[s.axis] - 1)) & 1;
  bool second = upper != s.upperFirst;
  descend(second);
  return second;
}

void Cursor::advance(bool bit) {
  state.word |= uint8_t(unsigned(bit) << state.place);
  if (--state.place >= 0 || kind == OrderKind::Morton)
    return;
  unsigned entry = state.entry, direction = state.direction;
  enterHilbertChild(current.rank, state.word, entry, direction);
  state.entry = uint8_t(entry);
  state.direction = uint8_t(direction);
}

void Cursor::settle() {
  if (kind == OrderKind::Rows || leading()) {
    state.finished = std::all_of(current.log2.begin(), current.log2.end(),
                                 [](uint8_t bits) { return bits == 0; });
    return;
  }
  for (;;) {
    if (state.place < 0) {
      state.finished = state.level == 0;
      if (state.finished)
        return;
      beginRound();
    }
    unsigned k = axis();
    if ((unsigned(state.free) >> k) & 1)
      return;
    // This axis has no bit at this level: as if the point had 0 there.
    unsigned above = unsigned(state.word) >> (state.place + 1);
    advance((above ^ (unsigned(state.entry) >> k)) & 1);
  }
}

void Cursor::beginRound() {
  --state.level;
  state.place = int8_t(current.rank - 1);
  state.word = 0;
  state.free = 0;
  for (unsigned k = 0; k < current.rank; ++k)
    state.free |= uint8_t(unsigned(current.log2[k] > state.level) << k);
}

void astfe::core::enterHilbertChild(unsigned rank, unsigned word,
                                    unsigned &entry, unsigned &direction) {
  auto gray = [](unsigned i) { return i ^ (i >> 1); };
  auto trailingOnes = [](unsigned i) {
    unsigned count = 0;
    for (; i & 1; i >>= 1)
      ++count;
    return count;
  };
  unsigned corner = word == 0 ? 0 : gray(2 * ((word - 1) / 2));
  unsigned turn = 0;
  if (word != 0)
    turn = wrap(trailingOnes(word % 2 == 0 ? word - 1 : word), rank);
  unsigned shift = wrap(direction + 1, rank);
  unsigned mask = (1u << rank) - 1;
  entry ^= ((corner << shift) | (corner >> (rank - shift))) & mask;
  direction = wrap(direction + turn + 1, rank);
}
