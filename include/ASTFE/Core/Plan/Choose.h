//===- Choose.h - the arrangement with the least predicted time -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `order=auto` and `reorder=auto` mean: candidates are packed by their
// graphs, a sample of them, and the cost model (Cost.h) predicts the seconds of
// a product. The least wins if it is 10 % below that of the first candidate:
// rows as they are, unless others were given.
//
// The search costs time too, so the expected number of runs bounds it. With t
// the predicted time of the best so far, and b what no order can beat (every
// row of the dense operand from the first cache, all else streamed once), at
// most (t - b) x runs can still be gained, and a step is taken if it costs less
// than half of that. A numbering, but for twins, and a curve change only where
// rows of B come from: their bound has what rows take to begin in it.
//
//   1. rows as they are, unless no later step could pay whatever this one shows
//   2. rows after twins, label propagation and reverse Cuthill-McKee, where the
//      neighbourhoods of some rows show that there is something to be found
//   3. Morton, Hilbert and panels, after the best of those, where rows are
//      long: a curve begins them again in many groups. Of samples Hilbert
//      alone, whatever the rows: beginning one writes nothing
//
// Worked example: rows of a product take 400 us, and 300 us are the bound. In
// 100 runs 10 ms can be gained, of which 5 may be spent: for 500000 nonzeros
// that is nothing but rows. In 10000 runs all steps are taken.
//
// The numbers are those of a machine in general, or of a GPU (Machine.h), so
// that all machines choose alike, with any number of threads. What the search
// itself takes is a host's. O(nonzeros + rows + columns) per candidate.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PLAN_CHOOSE_H
#define ASTFE_CORE_PLAN_CHOOSE_H

#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Target/Machine.h"

namespace astfe::core {

using rules::kExpectedRuns;

/// The arrangements to compare: the product of orders and reorderings.
struct Candidates {
  std::optional<OrderKind> order;     ///< none: all four
  std::optional<ReorderKind> reorder; ///< none: all of them
  unsigned panelLog2 = 10;
  /// Hubs of each candidate. Where all reorderings are compared, candidates
  /// that are not reordered have no hubs.
  int64_t hubs = kNoHubs;
  int64_t expectedRuns = kExpectedRuns;
  Machine machine = {}; ///< what the products run on
  /// Samples of A are taken, S = A .* (X Y^T), instead of products.
  bool samples = false;
};

struct Score {
  Arrangement arrangement;
  double seconds = 0; ///< of a product, predicted
  /// No step could pay, so that none was taken: `seconds` is an upper bound.
  bool isBound = false;
};

struct Choice {
  Space space; ///< of the best
  /// Of every candidate that was looked at: reorderings outermost, both in the
  /// order of their enumerations.
  std::vector<Score> scores;
  size_t best = 0;
};

/// The seconds that a product in the chosen arrangement is predicted to take;
/// none where nothing was predicted, or a bound only.
std::optional<double> secondsOf(ArrayRef<Score> scores,
                                const Arrangement &chosen);

/// Why a candidate with less predicted time was not chosen: "hilbert is
/// predicted 4.1 % faster, expected 10.0 % at least". Empty where the choice
/// has the least time.
std::string whyNotLeast(ArrayRef<Score> scores, const Arrangement &chosen);

/// Compares the candidates on a matrix with the graphs that partition, refine
/// and fuse give for `workers`. Where no reordering is given, matrices with far
/// more rows and columns than nonzeros are not reordered. Fails for other than
/// two modes, and as its steps do.
Result<Choice> choose(const TrafficModel &model, const SparseView &view,
                      int64_t workers, const ProfileOptions &options,
                      const Candidates &candidates);

} // namespace astfe::core

#endif // ASTFE_CORE_PLAN_CHOOSE_H
