//===- BrickOracle.h - bricks read one entry at a time --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the comment of Bricks.h says, without a loop that is made for speed:
// each slot of a copy with its nonzero and its coordinates.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_CORE_BRICKORACLE_H
#define ASTFE_UNITTESTS_CORE_BRICKORACLE_H

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "Samples.h"

namespace astfe::core {

/// A slot of a copy: which nonzero, and where.
struct Slot {
  int64_t nonzero;
  std::vector<int64_t> point;
};

/// Brick by brick.
std::vector<std::vector<Slot>> readSlots(const Bricks &bricks, unsigned mode);

/// Every nonzero once, at its own coordinates, each brick sorted by the mode.
void expectHolds(const Bricks &bricks, const Sample &sample, unsigned mode);

bool same(const ModeCopy &a, const ModeCopy &b);

/// What the check of all tables says; empty where they are right.
std::string message(const Bricks &bricks);

/// The groups that bricks are made of.
Graph groupsOf(const Sample &sample, OrderKind kind, int64_t leaf);
/// Along Hilbert.
Bricks packed(const Sample &sample, const BrickOptions &options = {},
              int64_t leaf = 200);

} // namespace astfe::core

#endif // ASTFE_UNITTESTS_CORE_BRICKORACLE_H
