//===- DensePlan.cpp - several dense dimensions become one ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/DensePlan.h"
#include "mlir/IR/AffineExpr.h"
#include <algorithm>

using namespace mlir;

namespace astfe {

std::optional<unsigned> placeOf(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

/// Each map has both, the second right behind the first, or neither.
static bool follows(ArrayRef<AffineMap> maps, unsigned first, unsigned second) {
  return llvm::all_of(maps, [&](AffineMap map) {
    auto a = placeOf(map, first), b = placeOf(map, second);
    return a ? b && *b == *a + 1 : !b;
  });
}

/// Runs of loops that follow each other everywhere.
static SmallVector<SmallVector<int64_t, 2>> findRuns(ArrayRef<AffineMap> maps,
                                                     ArrayRef<unsigned> dense) {
  SmallVector<SmallVector<int64_t, 2>> runs;
  for (unsigned loop : dense)
    if (llvm::none_of(
            dense, [&](unsigned other) { return follows(maps, other, loop); }))
      runs.push_back({int64_t(loop)});
  for (SmallVector<int64_t, 2> &run : runs)
    for (const unsigned *next = dense.begin(); next != dense.end();)
      if (follows(maps, unsigned(run.back()), *next)) {
        run.push_back(*next);
        next = dense.begin();
      } else {
        ++next;
      }
  return runs;
}

/// The run that vectors go along: the one at the end of the output, or of the
/// most operands.
static size_t alongWhich(ArrayRef<AffineMap> maps,
                         ArrayRef<SmallVector<int64_t, 2>> runs) {
  auto endsIn = [&](AffineMap map, size_t run) {
    auto place = placeOf(map, unsigned(runs[run].back()));
    return place && *place + 1 == map.getNumResults();
  };
  size_t best = runs.size() - 1;
  int64_t most = -1;
  for (size_t run = 0; run < runs.size(); ++run) {
    if (endsIn(maps.back(), run))
      return run;
    const int64_t ends =
        llvm::count_if(maps, [&](AffineMap map) { return endsIn(map, run); });
    if (ends > most)
      best = run;
    most = std::max(most, ends);
  }
  return best;
}

DensePlan planDense(ArrayRef<AffineMap> maps, ArrayRef<unsigned> dense) {
  DensePlan plan;
  if (dense.size() < 2)
    return plan;
  auto runs = findRuns(maps, dense);
  const size_t along = alongWhich(maps, runs);
  for (size_t run = 0; run < runs.size(); ++run) {
    if (runs[run].size() > 1)
      plan.merged.push_back(runs[run]);
    if (run != along)
      plan.around.push_back(unsigned(runs[run].front()));
  }
  // As the output has them, so that memory is walked once.
  llvm::stable_sort(plan.around, [&](unsigned a, unsigned b) {
    return placeOf(maps.back(), a).value_or(maps.back().getNumResults()) <
           placeOf(maps.back(), b).value_or(maps.back().getNumResults());
  });
  return plan;
}

} // namespace astfe
