//===- HilbertRound.cpp - one round of the Hilbert curve ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/HilbertRound.h"
#include "Order/Cursor.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace astfe::core;

HilbertState HilbertState::decode(unsigned rank, unsigned number) {
  unsigned high = number / rank;
  return {high << 1 | unsigned(llvm::popcount(high) & 1), number % rank};
}

unsigned astfe::core::takeHilbertRound(unsigned rank, unsigned axes,
                                       unsigned point, HilbertState &state) {
  unsigned all = (1u << rank) - 1;
  unsigned turn = (state.direction + 1) % rank;
  unsigned word = point ^ state.entry;
  word = (word >> turn | word << (rank - turn)) & all;
  for (unsigned shift = 1; shift < rank; shift <<= 1)
    word ^= word >> shift;
  unsigned bits = 0;
  for (unsigned place = rank; place-- > 0;)
    if (axes >> ((place + turn) % rank) & 1)
      bits = bits << 1 | (word >> place & 1);
  enterHilbertChild(rank, word, state.entry, state.direction);
  return bits;
}

HilbertPhases::HilbertPhases(const Order &order) {
  unsigned rank = order.rank();
  for (unsigned k = 0; k < rank; ++k)
    bits[k] = order.bits(k);
  if (order.kind() == OrderKind::Panels) {
    panelBits = std::min(bits[0], order.panelLog2());
    leadBits = bits[0] - panelBits;
    bits[0] = panelBits;
  }
  // The levels at which an axis runs out of bits end the phases.
  std::vector<unsigned> ends(bits.begin(), bits.begin() + rank);
  ends.push_back(0);
  std::sort(ends.begin(), ends.end(), std::greater<>());
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    unsigned axes = 0;
    for (unsigned k = 0; k < rank; ++k)
      axes |= unsigned(bits[k] > ends[i + 1]) << k;
    if (ends[i] > ends[i + 1])
      phases.push_back({ends[i + 1], ends[i] - ends[i + 1], axes});
  }
}
