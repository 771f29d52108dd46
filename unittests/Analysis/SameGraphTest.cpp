//===- SameGraphTest.cpp - compile time and run time agree ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix reaches a graph on three ways: counted from a file and evaluated by
// the passes, through the runtime's functions that generated code calls, and
// through Core. The three graph files are equal, character by character.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

using namespace astfe;

namespace {

struct Choice {
  core::OrderKind order;
  std::optional<double> threshold;
  int64_t leaf, min, workers, cache;
  core::ReorderKind reorder = core::ReorderKind::None;
  int64_t hubs = core::kNoHubs;
};

/// Rows of very different length: a few hold most nonzeros.
core::CooTensor skewedMatrix() {
  std::mt19937 random(7);
  core::CooTensor tensor;
  tensor.shape = {300, 217};
  tensor.coordinates.resize(2);
  std::set<std::pair<int64_t, int64_t>> cells;
  while (cells.size() < 4000) {
    double u = double(random() % 1000) / 1000;
    cells.insert({int64_t(300 * std::pow(u, 4)), int64_t(random() % 217)});
  }
  for (auto [row, column] : cells) {
    tensor.coordinates[0].push_back(row);
    tensor.coordinates[1].push_back(column);
    tensor.values.push_back(1);
  }
  return tensor;
}

std::string matrixMarket(const core::CooTensor &tensor) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n" +
                     std::to_string(tensor.shape[0]) + " " +
                     std::to_string(tensor.shape[1]) + " " +
                     std::to_string(tensor.nonzeros()) + "\n";
  for (int64_t n = 0; n != tensor.nonzeros(); ++n)
    text += std::to_string(tensor.coordinates[0][n] + 1) + " " +
            std::to_string(tensor.coordinates[1][n] + 1) + "\n";
  return text;
}

template <typename Op>
void setWork(Op &options, const Choice &choice) {
  options.threshold = choice.threshold;
  options.workers = choice.workers;
}

core::Graph throughCore(const core::CsrMatrix &matrix, const Choice &choice) {
  auto space = core::arrange(matrix.view(),
                             {choice.order, 10, choice.reorder, choice.hubs});
  core::ProfileOptions counting;
  counting.min = choice.min;
  auto profile = core::countProfile(matrix.view(), *space, counting);
  core::PartitionOptions grid;
  grid.leaf = choice.leaf;
  grid.workers = choice.workers;
  core::RefineOptions refining;
  setWork(refining, choice);
  refining.min = choice.min;
  core::FuseOptions fusing;
  setWork(fusing, choice);
  fusing.cache = choice.cache;
  auto graph = core::partition(*profile, grid);
  graph = core::refine(*graph, *profile, refining);
  return *core::fuse(*graph, *profile, fusing);
}

core::Graph throughRuntime(core::CsrMatrix &matrix, const Choice &choice) {
  auto memref = [](std::vector<int64_t> &array) {
    return AstfeMemRef1D{array.data(), array.data(), 0, int64_t(array.size()),
                         1};
  };
  AstfeMemRef1D positions = memref(matrix.positions);
  AstfeMemRef1D coordinates = memref(matrix.coordinates);
  double tau =
      choice.threshold.value_or(std::numeric_limits<double>::quiet_NaN());
  void *profile = _mlir_ciface_astfe_rt_reordered_profile_p64c64(
      &positions, &coordinates, matrix.rows, matrix.columns, ASTFE_CSR,
      int64_t(choice.order), 10, choice.min, int64_t(choice.reorder),
      choice.hubs);
  void *grid =
      _mlir_ciface_astfe_rt_partition(profile, choice.leaf, choice.workers);
  void *refined = _mlir_ciface_astfe_rt_refine(
      grid, profile, tau, choice.workers, 4, choice.min, -1);
  void *fused = _mlir_ciface_astfe_rt_fuse(
      refined, profile, tau, choice.workers, 4, choice.cache, 1, 4);
  core::Graph graph = rt::handleAs<rt::GraphHandle>(fused)->value;
  for (void *handle : {profile, grid, refined, fused})
    _mlir_ciface_astfe_rt_release(handle);
  return graph;
}

constexpr const char *kModule = R"(
#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#view = #astfe.layout<view>
func.func @f(%A: tensor<?x?xf32, #CSR>) -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #CSR> -> !astfe.blocked<?x?, #view>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #view> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
)";

/// The one constant graph that the passes leave.
core::Graph throughPasses(const std::string &file, const Choice &choice) {
  mlir::MLIRContext context;
  context.loadDialect<ASTFEDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context);
  std::string order(core::orderName(choice.order));
  std::string tau =
      choice.threshold ? std::to_string(*choice.threshold) : "auto";
  std::string hubs = choice.hubs == core::kAutoHubs ? "auto"
                     : choice.hubs == core::kNoHubs
                         ? "none"
                         : std::to_string(choice.hubs);
  AttachProfilePassOptions attach;
  attach.matrix = file;
  attach.order = order;
  attach.min = choice.min;
  attach.reorder = core::reorderName(choice.reorder);
  attach.hubs = hubs;
  PartitionPassOptions grid;
  grid.order = order;
  grid.reorder = attach.reorder;
  grid.hubs = hubs;
  grid.leaf = choice.leaf;
  grid.min = choice.min;
  grid.workers = choice.workers;
  RefinePassOptions refining;
  refining.threshold = tau;
  refining.workers = choice.workers;
  refining.min = choice.min;
  FusePassOptions fusing;
  fusing.threshold = tau;
  fusing.workers = choice.workers;
  fusing.cache = choice.cache;
  mlir::PassManager pm(&context);
  pm.addPass(createAttachProfilePass(attach));
  pm.addPass(createPartitionPass(grid));
  pm.addPass(createRefinePass(refining));
  pm.addPass(createFusePass(fusing));
  EXPECT_TRUE(mlir::succeeded(pm.run(*module)));
  std::vector<core::Graph> graphs;
  module->walk(
      [&](GraphOp graph) { graphs.push_back(toCore(graph.getValue())); });
  EXPECT_EQ(graphs.size(), 1u);
  return graphs.empty() ? core::Graph() : graphs.front();
}

TEST(SameGraph, PassesRuntimeAndCore) {
  core::CooTensor tensor = skewedMatrix();
  std::string file = ::testing::TempDir() + "astfe-same-graph.mtx";
  ASSERT_TRUE(bool(core::writeFile(file, matrixMarket(tensor))));
  core::CsrMatrix matrix = *core::toCsr(tensor);
  using core::OrderKind;
  using core::ReorderKind;
  for (const Choice &choice :
       {Choice{OrderKind::Rows, std::nullopt, 0, 16, 8, 1 << 20},
        Choice{OrderKind::Morton, 0.75, 100, 8, 3, 4096},
        Choice{OrderKind::Hilbert, std::nullopt, 64, 4, 16, 2048},
        Choice{OrderKind::Hilbert, 0.66, 256, 1, 5, 1 << 14},
        Choice{OrderKind::Panels, std::nullopt, 32, 2, 7, 1 << 16},
        Choice{OrderKind::Hilbert, std::nullopt, 32, 4, 8, 4096,
               ReorderKind::Labels},
        Choice{OrderKind::Rows, 0.75, 64, 4, 8, 4096, ReorderKind::Rcm,
               core::kAutoHubs},
        Choice{OrderKind::Panels, std::nullopt, 0, 2, 8, 1 << 14,
               ReorderKind::None, 2}}) {
    std::string expected = core::toJson(throughCore(matrix, choice));
    EXPECT_EQ(core::toJson(throughRuntime(matrix, choice)), expected);
    EXPECT_EQ(core::toJson(throughPasses(file, choice)), expected);
  }
  std::remove(file.c_str());
}

} // namespace
