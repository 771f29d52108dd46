//===- Choose.h - the arrangement with least modelled traffic -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `order=auto` and `reorder=auto` mean: the graph of every candidate is
// made and its effort counted (Effort.h; its traffic, Traffic.h, where extents
// are out of proportion to the nonzeros). The least wins if it is 2 % below that
// of the first candidate: rows as they are, unless others were given. O(nonzeros)
// per candidate.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_CHOOSE_H
#define ASTFE_CORE_CHOOSE_H

#include "ASTFE/Core/Arrange.h"
#include "ASTFE/Core/Traffic.h"

namespace astfe::core {

/// The arrangements to compare: the product of orders and reorderings.
struct Candidates {
  std::optional<OrderKind> order;     ///< none: all four
  std::optional<ReorderKind> reorder; ///< none: all three
  unsigned panelLog2 = 10;
  /// Of the candidates; those that are not reordered have none where all
  /// reorderings are compared.
  int64_t hubs = kNoHubs;
  /// Runs with caches of their own that the nonzeros are cut into: the cores of
  /// a small host, whatever this machine has, so that all machines choose alike.
  int64_t runs = 2;
};

struct Score {
  Arrangement arrangement;
  int64_t bytes = 0; ///< weighed
};

struct Choice {
  Space space; ///< of the best
  /// Of every candidate: reorderings outermost, both in the order of their
  /// enumerations.
  std::vector<Score> scores;
  size_t best = 0;
};

/// Counts all candidates on a matrix with the graphs that partition, refine and
/// fuse give for `workers`. Where no reordering is given, matrices with far
/// more rows and columns than nonzeros are not reordered. Fails for other than
/// two modes, and as its steps do.
Result<Choice> choose(const TrafficModel &model, const SparseView &view,
                      int64_t workers, const ProfileOptions &options,
                      const Candidates &candidates);

} // namespace astfe::core

#endif // ASTFE_CORE_CHOOSE_H
