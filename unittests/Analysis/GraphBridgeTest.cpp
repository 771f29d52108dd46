//===- GraphBridgeTest.cpp - attributes and values agree ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include <gtest/gtest.h>

using namespace astfe;

namespace {

class GraphBridge : public ::testing::Test {
protected:
  GraphBridge() { context.loadDialect<ASTFEDialect>(); }

  /// Two parts, a permuted mode, the largest prefixes and counts.
  static core::Space space() {
    core::Space space;
    space.shape = {4, 6};
    space.permutations = {{3, 0, 1, 2}, {}};
    space.parts.push_back({{0, 0}, {1, 6}, core::OrderKind::Panels, 3});
    space.parts.push_back({{1, 0}, {3, 6}, core::OrderKind::Hilbert, 10});
    return space;
  }

  mlir::MLIRContext context;
};

TEST_F(GraphBridge, Space) {
  SpaceAttr attr = toAttr(&context, space());
  EXPECT_TRUE(toCore(attr) == space());
  EXPECT_EQ(toAttr(&context, toCore(attr)), attr);
}

TEST_F(GraphBridge, Graph) {
  core::Graph graph;
  graph.space = space();
  graph.part = {0, 1, 1};
  graph.length = {1, 2, 2};
  graph.prefix = {uint64_t(1) << 63, 0, uint64_t(3) << 62};
  graph.nonzeros = {int64_t(1) << 40, 2, 3};
  graph.groups = {0, 1, 3};
  graph.limit = int64_t(1) << 41;
  for (std::optional<double> threshold :
       {std::optional<double>(), std::optional<double>(0.66)}) {
    graph.threshold = threshold;
    GraphAttr attr = toAttr(&context, graph);
    EXPECT_TRUE(toCore(attr) == graph);
    EXPECT_EQ(toAttr(&context, toCore(attr)), attr);
  }
}

TEST_F(GraphBridge, EdgesAreDroppedOnTheWay) {
  core::Graph graph;
  graph.space = *core::Space::whole({4, 4}, core::OrderKind::Morton);
  graph.part = {0, 0};
  graph.length = {2, 2};
  graph.prefix = {0, uint64_t(1) << 62};
  graph.nonzeros = {4, 4};
  graph.ungroup();
  GraphAttr plain = toAttr(&context, graph);
  EXPECT_FALSE(plain.getEdges());
  GraphAttr attr = withEdges(plain);
  EXPECT_EQ(attr.getEdges().asArrayRef(),
            (llvm::ArrayRef<int64_t>{0, 1, 1, 4}));
  EXPECT_EQ(toAttr(&context, toCore(attr)), plain);
}

TEST_F(GraphBridge, EdgesOfFourNumbers) {
  core::Graph graph;
  graph.space = *core::Space::whole({4, 4}, core::OrderKind::Morton);
  GraphAttr attr = toAttr(&context, graph);
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          error = diagnostic.str();
                                          return mlir::success();
                                        });
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  EXPECT_FALSE(GraphAttr::getChecked(
      emitError, &context, attr.getSpace(), attr.getPart(), attr.getLength(),
      attr.getPrefix(), attr.getNonzeros(), attr.getGroups(), attr.getLimit(),
      attr.getThreshold(), mlir::DenseI64ArrayAttr::get(&context, {0, 1, 1})));
  EXPECT_EQ(error, "expected four numbers for each edge but got 3 in all");
}

TEST_F(GraphBridge, Profile) {
  core::Profile profile;
  profile.space = space();
  profile.kernel = "spmm";
  profile.target = "sm_90";
  profile.fingerprint = ~uint64_t(0);
  profile.part = {0, 1};
  profile.length = {1, 2};
  profile.prefix = {uint64_t(1) << 63, uint64_t(3) << 62};
  profile.nonzeros = {5, 6};
  profile.cycles = {50, -1};
  profile.bytes = {500, 600};
  ProfileAttr attr = toAttr(&context, profile);
  core::Profile back = toCore(attr);
  EXPECT_EQ(toAttr(&context, back), attr);
  EXPECT_EQ(back.kernel, profile.kernel);
  EXPECT_EQ(back.target, profile.target);
  EXPECT_EQ(back.fingerprint, profile.fingerprint);
  EXPECT_EQ(back.part, profile.part);
  EXPECT_EQ(back.length, profile.length);
  EXPECT_EQ(back.prefix, profile.prefix);
  EXPECT_EQ(back.nonzeros, profile.nonzeros);
  EXPECT_EQ(back.cycles, profile.cycles);
  EXPECT_EQ(back.bytes, profile.bytes);
}

TEST_F(GraphBridge, LayoutAndKernel) {
  core::Layout layout;
  layout.columnBits = 16;
  layout.classes = core::ClassSet::of(core::SegmentClass::Scattered)
                       .with(core::SegmentClass::RowSegments);
  layout.deterministic = true;
  EXPECT_TRUE(toCore(toAttr(&context, layout)) == layout);
  layout.assumeFinite = true;
  EXPECT_TRUE(toCore(toAttr(&context, layout)) == layout);
  EXPECT_TRUE(toCore(LayoutAttr::getView(&context)).storage ==
              core::Storage::View);

  core::Kernel back =
      toCore(toAttr(&context, core::Kernel{layout.classes, 64}));
  EXPECT_TRUE(back.classes == layout.classes);
  EXPECT_EQ(back.columnTile, 64);
}

TEST_F(GraphBridge, Extents) {
  constexpr int64_t unknown = mlir::ShapedType::kDynamic;
  EXPECT_TRUE(bool(checkExtents({4, unknown}, {4, 7})));
  core::Status status = checkExtents({4, unknown}, {5, 7});
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.message(), "expected shape 4x? but got 5x7");
  EXPECT_FALSE(bool(checkExtents({unknown}, {5, 7})));
}

} // namespace
