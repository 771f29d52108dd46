//===- BrickReuse.h - how often bricks meet the same rows -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a walk through bricks finds in caches depends on two counts of each
// mode: how many different rows its bricks meet, and how often the tensor meets
// each row at all. The second one is kept in classes of rows, the k-th of which
// holds those with 2^k to 2^(k+1) - 1 nonzeros.
//
// Worked example (Bricks.h, one brick, mode 0): row 2 has three nonzeros and
// row 3 one. The brick has two segments; class 0 has one row with one nonzero,
// class 1 one with three.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKREUSE_H
#define ASTFE_CORE_BRICKS_BRICKREUSE_H

#include "ASTFE/Core/Bricks/Bricks.h"

namespace astfe::core {

struct BrickReuse {
  struct RowClass {
    double rows = 0;
    double nonzeros = 0; ///< of all of them

    double each() const { return rows > 0 ? nonzeros / rows : 0; }
  };
  struct Mode {
    double segments = 0; ///< the different rows of each brick, added up
    std::vector<RowClass> classes;

    double rows() const;
  };
  std::vector<Mode> modes;

  /// Bytes of tables while it is counted, at most.
  static int64_t bytesToCount(const Bricks &bricks);
};

/// Where a mode has more than twice as many rows as there are nonzeros, a few
/// that share a place of a hash table count as one. O(nonzeros x rank).
BrickReuse countReuse(const Bricks &bricks);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKREUSE_H
