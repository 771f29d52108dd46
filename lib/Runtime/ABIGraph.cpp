//===- ABIGraph.cpp - profiles and graphs ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ABIArguments.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Runtime/StageLog.h"
#include "ASTFE/Runtime/Threads.h"

#include <cmath>

using namespace astfe;
using namespace astfe::rt;

core::Result<core::SparseView> rt::matrixView(core::IndexArray positions,
                                              core::IndexArray coordinates,
                                              int64_t rows, int64_t columns,
                                              int64_t format) {
  if (rows < 0 || columns < 0)
    return core::Error{"expected extents >= 0 but got " + std::to_string(rows) +
                       "x" + std::to_string(columns)};
  if (format == ASTFE_CSR)
    return core::SparseView::csr(rows, columns, positions, coordinates);
  if (format == ASTFE_CSC)
    return core::SparseView::csc(rows, columns, positions, coordinates);
  auto name = [](core::SparseFormat known) {
    return std::string(core::formatName(known)) + " (" +
           std::to_string(int(known)) + ")";
  };
  return core::Error{"expected the format " + name(core::SparseFormat::Csr) +
                     " or " + name(core::SparseFormat::Csc) + " but got " +
                     std::to_string(format)};
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

/// Whether a number is one of the values with these names.
static core::Status checkValue(const std::string &what, core::NameList names,
                               int64_t value) {
  const auto count = int64_t(names.size());
  if (value >= 0 && value < count)
    return core::Success();
  return core::Error{"expected " + what + " from 0 to " +
                     std::to_string(count - 1) + " but got " +
                     std::to_string(value)};
}

core::Result<core::Arrangement>
rt::arrangementOf(int64_t order, int64_t panel, int64_t reorder, int64_t hubs) {
  if (auto status = checkValue("an order", core::orderNames(), order); !status)
    return status.error();
  if (panel < 0 || panel > 62)
    return core::Error{"expected a panel from 0 to 62 but got " +
                       std::to_string(panel)};
  if (auto status = checkValue("a reordering", core::reorderNames(), reorder);
      !status)
    return status.error();
  return core::Arrangement{core::OrderKind(order), unsigned(panel),
                           core::ReorderKind(reorder), hubs};
}

core::Result<core::Profile>
astfe::rt::countArranged(const core::Result<core::SparseView> &view,
                         const core::Result<core::Arrangement> &arrangement,
                         int64_t min) {
  stageLog() = {}; // a profile is where a program begins to prepare
  StageTimer timer(stageLog().profile);
  if (!view)
    return view.error();
  if (!arrangement)
    return arrangement.error();
  auto space = core::arrange(*view, *arrangement);
  if (!space)
    return space.error();
  core::ProfileOptions options;
  options.min = min;
  options.threads = unsigned(threads());
  return core::countProfile(*view, *space, options);
}

#define ASTFE_PROFILE(P, C)                                                    \
  extern "C" void *_mlir_ciface_astfe_rt_reordered_profile_p##P##c##C(         \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, int64_t rows,      \
      int64_t columns, int64_t format, int64_t order, int64_t panel,           \
      int64_t min, int64_t reorder, int64_t hubs) {                            \
    return makeHandle<ProfileHandle>([&] {                                     \
      return countArranged(matrixView(indexArray<int##P##_t>(positions),       \
                                      indexArray<int##C##_t>(coordinates),     \
                                      rows, columns, format),                  \
                           arrangementOf(order, panel, reorder, hubs), min);   \
    });                                                                        \
  }                                                                            \
  extern "C" void *_mlir_ciface_astfe_rt_profile_p##P##c##C(                   \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, int64_t rows,      \
      int64_t columns, int64_t format, int64_t order, int64_t panel,           \
      int64_t min) {                                                           \
    return _mlir_ciface_astfe_rt_reordered_profile_p##P##c##C(                 \
        positions, coordinates, rows, columns, format, order, panel, min,      \
        int64_t(core::ReorderKind::None), core::kNoHubs);                      \
  }
ASTFE_PROFILE(32, 32)
ASTFE_PROFILE(32, 64)
ASTFE_PROFILE(64, 32)
ASTFE_PROFILE(64, 64)
#undef ASTFE_PROFILE

extern "C" void *_mlir_ciface_astfe_rt_known_profile(AstfeMemRef1D *json) {
  return makeHandle<ProfileHandle>(
      [&] { return core::parseProfile(text(json), "the known profile"); });
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// NaN stands for auto.
static std::optional<double> optionalThreshold(double threshold) {
  if (std::isnan(threshold))
    return std::nullopt;
  return threshold;
}

/// Makes a graph and logs its time and number of blocks.
template <typename Make>
static core::Result<core::Graph> logged(int64_t StageLog::*blocks, Make make) {
  StageTimer timer(stageLog().partition);
  auto graph = make();
  if (graph)
    stageLog().*blocks = int64_t(graph->size());
  return graph;
}

extern "C" void *_mlir_ciface_astfe_rt_partition(void *profile, int64_t leaf,
                                                 int64_t workers) {
  auto *counted = handleAs<ProfileHandle>(profile);
  if (!counted)
    return nullptr;
  return makeHandle<GraphHandle>([&] {
    return logged(&StageLog::initial, [&]() -> core::Result<core::Graph> {
      if (counted->whole)
        return core::wholeGraph(counted->value.space, *counted->whole);
      return core::partition(counted->value, {leaf, workers});
    });
  });
}

extern "C" void *_mlir_ciface_astfe_rt_refine(void *graph, void *profile,
                                              double threshold, int64_t workers,
                                              int64_t waves, int64_t min,
                                              int64_t steps) {
  auto *before = handleAs<GraphHandle>(graph);
  auto *counted = handleAs<ProfileHandle>(profile);
  if (!before || !counted)
    return nullptr;
  core::RefineOptions options{optionalThreshold(threshold), workers, waves, min,
                              steps};
  return makeHandle<GraphHandle>([&] {
    return logged(&StageLog::refined, [&]() -> core::Result<core::Graph> {
      if (counted->whole)
        return before->value;
      return core::refine(before->value, counted->value, options);
    });
  });
}

extern "C" void *_mlir_ciface_astfe_rt_fuse(void *graph, void *profile,
                                            double threshold, int64_t workers,
                                            int64_t waves, int64_t cache,
                                            int64_t columns,
                                            int64_t elementBytes) {
  auto *before = handleAs<GraphHandle>(graph);
  auto *counted = handleAs<ProfileHandle>(profile);
  if (!before || !counted)
    return nullptr;
  core::FuseOptions options{optionalThreshold(threshold),
                            workers,
                            waves,
                            cache,
                            columns,
                            elementBytes};
  return makeHandle<GraphHandle>([&] {
    return logged(&StageLog::fused, [&]() -> core::Result<core::Graph> {
      if (counted->whole)
        return before->value;
      return core::fuse(before->value, counted->value, options);
    });
  });
}

extern "C" void *_mlir_ciface_astfe_rt_graph(AstfeMemRef1D *json) {
  return makeHandle<GraphHandle>(
      [&] { return core::parseGraph(text(json), "the constant graph"); });
}
