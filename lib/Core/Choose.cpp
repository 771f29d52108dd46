//===- Choose.cpp - the arrangement with least modelled traffic -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Choose.h"
#include "ASTFE/Core/Effort.h"
#include "ASTFE/Core/Fuse.h"
#include "ASTFE/Core/Partition.h"
#include "ASTFE/Core/Refine.h"
#include <limits>

namespace astfe::core {
namespace {

constexpr OrderKind kOrders[] = {OrderKind::Rows, OrderKind::Morton,
                                 OrderKind::Hilbert, OrderKind::Panels};
constexpr ReorderKind kReorders[] = {ReorderKind::None, ReorderKind::Labels,
                                     ReorderKind::Rcm};

/// Permutations and caches have an entry per row and column: out of proportion
/// where most of these are empty, and limited (Reorder.h).
bool isDense(const SparseView &view) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max(), kShare = 16;
  return view.shape[0] <= kMost && view.shape[1] <= kMost &&
         view.shape[0] + view.shape[1] <=
             std::min(kMost, kShare * (view.nonzeros() + 64));
}

/// What other candidates have to stay below, beside the first: this share of
/// it. Closer ones are not worth their set-up, nor the model's trust.
constexpr int64_t kGainNumerator = 49, kGainDenominator = 50;

/// The one that was given, or all that make sense.
template <typename T, size_t N>
ArrayRef<T> givenOr(const std::optional<T> &given, const T (&all)[N]) {
  return given ? ArrayRef<T>(*given) : ArrayRef<T>(all);
}

/// The graph of a space, by the three steps with default options.
Result<Graph> graphOf(const TrafficModel &model, const SparseView &view,
                      const Space &space, int64_t workers,
                      const ProfileOptions &options) {
  Result<Profile> profile = countProfile(view, space, options);
  if (!profile)
    return profile.error();
  Result<Graph> grid = partition(*profile, {0, workers});
  if (!grid)
    return grid.error();
  RefineOptions refineOptions;
  refineOptions.workers = workers;
  refineOptions.min = options.min;
  Result<Graph> fine = refine(*grid, *profile, refineOptions);
  if (!fine)
    return fine.error();
  FuseOptions fuseOptions;
  fuseOptions.workers = workers;
  fuseOptions.columns = model.columns;
  fuseOptions.elementBytes = model.elementBytes;
  return fuse(*fine, *profile, fuseOptions);
}

Result<int64_t> bytesOf(const TrafficModel &model, const SparseView &view,
                        const Space &space, int64_t workers, int64_t runs,
                        const ProfileOptions &options) {
  Result<Graph> graph = graphOf(model, view, space, workers, options);
  if (!graph)
    return graph.error();
  if (isDense(view))
    return countEffort(model, view, *graph, runs, {}, options.threads);
  Result<Traffic> traffic =
      countTraffic(model, view, *graph, workers, options.threads);
  if (!traffic)
    return traffic.error();
  return traffic->total();
}

/// Less than the best so far, and clearly less than the first.
bool isBetter(const Choice &choice, int64_t bytes) {
  return bytes < choice.scores[choice.best].bytes &&
         __int128(bytes) * kGainDenominator <
             __int128(choice.scores[0].bytes) * kGainNumerator;
}

} // namespace

Result<Choice> choose(const TrafficModel &model, const SparseView &view,
                      int64_t workers, const ProfileOptions &options,
                      const Candidates &candidates) {
  if (view.rank() != 2)
    return Error{"expected a matrix to choose an order for but got a tensor of "
                 "rank " +
                 std::to_string(view.rank())};
  Choice choice;
  for (ReorderKind reorder : givenOr(candidates.reorder, kReorders)) {
    bool isGiven = candidates.reorder.has_value();
    bool isPlain = reorder == ReorderKind::None;
    if (!isGiven && !isPlain && !isDense(view))
      continue;
    // Where reorderings are compared, what they are compared with is as it was.
    int64_t hubs = isPlain && !isGiven ? kNoHubs : candidates.hubs;
    Result<Numbering> numbering = renumber(view, reorder, hubs);
    if (!numbering)
      return numbering.error();
    for (OrderKind order : givenOr(candidates.order, kOrders)) {
      Result<Space> space =
          spaceOf(view.shape, *numbering, order, candidates.panelLog2);
      if (!space)
        return space.error();
      Result<int64_t> bytes =
          bytesOf(model, view, *space, workers, candidates.runs, options);
      if (!bytes)
        return bytes.error();
      Arrangement arrangement{order, candidates.panelLog2, reorder, hubs};
      choice.scores.push_back({arrangement, *bytes});
      if (choice.scores.size() == 1 || isBetter(choice, *bytes)) {
        choice.best = choice.scores.size() - 1;
        choice.space = std::move(*space);
      }
    }
  }
  return choice;
}

} // namespace astfe::core
