//===- ABISearch.cpp - profiles in an arrangement that is chosen ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Plan/Choose.h"
#include "ASTFE/Runtime/StageLog.h"
#include "ASTFE/Runtime/Threads.h"

using namespace astfe;
using namespace astfe::rt;

namespace {

/// What the ABI says of the products.
struct Search {
  int64_t columns, elementBytes, runs, flags;

  bool has(AstfeSearch flag) const { return (flags & flag) != 0; }
  core::Status check() const {
    constexpr int64_t kAll = 2 * int64_t(ASTFE_SEARCH_WHOLE) - 1;
    if (columns >= 1 && elementBytes >= 1 && runs >= 1 && flags >= 0 &&
        flags <= kAll)
      return core::Success();
    return core::Error{"expected columns, bytes and runs of 1 or more, and a "
                       "set of 0 to " +
                       std::to_string(kAll) + ", but got " +
                       std::to_string(columns) + ", " +
                       std::to_string(elementBytes) + ", " +
                       std::to_string(runs) + " and " + std::to_string(flags)};
  }
};

core::Result<core::Space> choose(const core::SparseView &view,
                                 const core::Arrangement &first,
                                 const Search &search,
                                 const core::ProfileOptions &options) {
  core::TrafficModel model;
  model.columns = search.columns;
  model.elementBytes = search.elementBytes;
  core::Candidates candidates;
  if (!search.has(ASTFE_SEARCH_ORDERS))
    candidates.order = first.order;
  if (!search.has(ASTFE_SEARCH_REORDERINGS))
    candidates.reorder = first.reorder;
  candidates.panelLog2 = first.panelLog2;
  candidates.hubs = first.hubs;
  candidates.expectedRuns = search.runs;
  candidates.samples = search.has(ASTFE_SEARCH_SAMPLES);
  if (search.has(ASTFE_SEARCH_GPU))
    candidates.machine = core::gpuMachine();
  auto choice = core::choose(model, view, core::PartitionOptions().workers,
                             options, candidates);
  if (!choice)
    return choice.error();
  return std::move(choice->space);
}

core::Result<CountedProfile>
countChosen(const core::Result<core::SparseView> &view,
            const core::Result<core::Arrangement> &first, int64_t min,
            const Search &search) {
  stageLog() = {}; // as in countArranged()
  StageTimer timer(stageLog().profile);
  if (!view)
    return view.error();
  if (!first)
    return first.error();
  if (auto status = search.check(); !status)
    return status.error();
  // The search reads what coordinates say without asking.
  if (auto status = view->check(); !status)
    return status.error();
  core::ProfileOptions options;
  options.min = min;
  options.threads = unsigned(threads());
  auto space = choose(*view, *first, search, options);
  if (!space)
    return space.error();
  if (search.has(ASTFE_SEARCH_WHOLE) && search.has(ASTFE_SEARCH_ORDERS) &&
      space->isByRows()) {
    core::Profile profile;
    profile.space = std::move(*space);
    return CountedProfile(std::move(profile), view->nonzeros());
  }
  auto profile = core::countProfile(*view, *space, options);
  if (!profile)
    return profile.error();
  return CountedProfile(std::move(*profile));
}

} // namespace

#define ASTFE_SEARCH(P, C)                                                     \
  extern "C" void *_mlir_ciface_astfe_rt_searched_profile_p##P##c##C(          \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, int64_t rows,      \
      int64_t columns, int64_t format, int64_t order, int64_t panel,           \
      int64_t min, int64_t reorder, int64_t hubs, int64_t denseColumns,        \
      int64_t elementBytes, int64_t runs, int64_t search) {                    \
    return makeHandle<ProfileHandle>([&] {                                     \
      return countChosen(matrixView(indexArray<int##P##_t>(positions),         \
                                    indexArray<int##C##_t>(coordinates), rows, \
                                    columns, format),                          \
                         arrangementOf(order, panel, reorder, hubs), min,      \
                         {denseColumns, elementBytes, runs, search});          \
    });                                                                        \
  }
ASTFE_SEARCH(32, 32)
ASTFE_SEARCH(32, 64)
ASTFE_SEARCH(64, 32)
ASTFE_SEARCH(64, 64)
#undef ASTFE_SEARCH

extern "C" void *_mlir_ciface_astfe_rt_searched_profile_levels(
    AstfeMemRef1D *levels, AstfeMemRef1D *extents, int64_t order, int64_t panel,
    int64_t min, int64_t reorder, int64_t hubs, int64_t denseColumns,
    int64_t elementBytes, int64_t runs, int64_t search) {
  return makeHandle<ProfileHandle>([&] {
    return countChosen(tensorView(levels, extents),
                       arrangementOf(order, panel, reorder, hubs), min,
                       {denseColumns, elementBytes, runs, search});
  });
}
