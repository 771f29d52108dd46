//===- BrickPlanTest.cpp - plans for tensors of any rank ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComputePlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace astfe;

namespace {

struct BrickPlan : testing::Test {
  BrickPlan() {
    context.loadDialect<ASTFEDialect, arith::ArithDialect, func::FuncDialect>();
  }

  /// The plan of the one computation over a tensor of rank 3, whose operands
  /// are indexed by these dimensions of (n, i, j, k, r); or why there is none.
  std::optional<ComputePlan> plan(const std::string &inputs,
                                  const std::string &types,
                                  const std::string &output,
                                  const std::string &body,
                                  const std::string &storage = "packed, "
                                                               "columns = 32, "
                                                               "classes = "
                                                               "[scattered]") {
    const std::string layout = "#astfe.layout<" + storage + ">";
    const bool hasDense = output.find('r') != std::string::npos ||
                          inputs.find('r') != std::string::npos;
    const std::string dims = hasDense ? "(n, i, j, k, r)" : "(n, i, j, k)";
    const std::string space = "affine_map<" + dims + " -> ";
    std::string maps;
    std::string text =
        "func.func @f(%P: !astfe.blocked<4x5x6, " + layout + ">, ";
    for (size_t at = 0; at < inputs.size();) {
      const size_t end = inputs.find(' ', at);
      const std::string map = inputs.substr(at, end - at);
      maps += space + "(" + map + ")>, ";
      at = end == std::string::npos ? inputs.size() : end + 1;
    }
    text += types + ") {\n  astfe.compute over %P : !astfe.blocked<4x5x6, " +
            layout + "> maps [" + maps + space + "(" + output + ")>]\n" + body +
            "\n  return\n}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << text;
    std::optional<ComputePlan> found;
    if (module)
      module->walk([&](ComputeOp op) {
        found = planCompute(questionOf(op, target), refusal);
      });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  PlanRefusal refusal;
  PlanTarget target = PlanTarget::Host;
};

const char *const kTypes = "%v: memref<?xf32>, %A: memref<4x8xf32>, "
                           "%C: memref<6x8xf32>, %M: memref<5x8xf32>";
const char *const kOperands =
    "ins(%v, %A, %C : memref<?xf32>, memref<4x8xf32>, memref<6x8xf32>) "
    "outs(%M : memref<5x8xf32>) {\n^bb0(%x: f32, %a: f32, %c: f32):\n";

} // namespace

TEST_F(BrickPlan, TheFirstModeOfTheOutputIsTheKey) {
  auto found =
      plan("n i,r k,r", kTypes, "j, r",
           std::string(kOperands) + "%p = arith.mulf %a, %c : f32\n"
                                    "%q = arith.mulf %p, %x : f32\n"
                                    "astfe.yield \"addf\" %q : f32\n}");
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_EQ(found->walk, Walk::Bricks);
  EXPECT_EQ(found->keys, (SmallVector<unsigned>{2}));
  EXPECT_EQ(found->walked, (SmallVector<unsigned>{1, 3}));
  EXPECT_EQ(found->lanes, Lanes::Dense);
  EXPECT_EQ(found->laneDim, 4u);
  EXPECT_EQ(found->outputs[0].protocol, Protocol::Segment);
  EXPECT_TRUE(found->isProduct);
  EXPECT_EQ(found->text(),
            "segment by bricks, segments of (i2), lanes over d4");
}

TEST_F(BrickPlan, OnlySumsOfProductsOfAllInputsAreFactored) {
  for (auto [body, isProduct] :
       {std::pair("%q = arith.addf %a, %c : f32\n"
                  "astfe.yield \"addf\" %q : f32\n}",
                  false),
        {"%q = arith.mulf %a, %c : f32\nastfe.yield \"addf\" %q : f32\n}",
         false},
        {"%p = arith.mulf %x, %x : f32\n%q = arith.mulf %p, %c : f32\n"
         "astfe.yield \"addf\" %q : f32\n}",
         false},
        {"%p = arith.mulf %a, %c : f32\n%q = arith.mulf %p, %x : f32\n"
         "astfe.yield \"maximumf\" %q : f32\n}",
         false}}) {
    auto found =
        plan("n i,r k,r", kTypes, "j, r", kOperands + std::string(body));
    ASSERT_TRUE(found) << refusal.reason;
    EXPECT_EQ(found->isProduct, isProduct) << body;
  }
}

TEST_F(BrickPlan, ColumnsThatAreSummedOverHaveLanesWhereTheyLieSideBySide) {
  const std::string sums = "%p = arith.mulf %a, %c : f32\n"
                           "%q = arith.mulf %p, %x : f32\n"
                           "astfe.yield \"addf\" %q : f32\n}";
  auto planFor = [&](const std::string &inputs, const std::string &extents) {
    return plan(inputs,
                "%v: memref<?xf32>, %A: memref<4x8xf32>, %C: memref<" +
                    extents + "xf32>, %M: memref<5xf32>",
                "j",
                "ins(%v, %A, %C : memref<?xf32>, memref<4x8xf32>, memref<" +
                    extents +
                    "xf32>) outs(%M : memref<5xf32>) {\n"
                    "^bb0(%x: f32, %a: f32, %c: f32):\n" +
                    sums);
  };
  auto found = planFor("n i,r k,r", "6x8");
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_TRUE(found->reducesLanes());
  EXPECT_EQ(found->text(), "segment by bricks, segments of (i2), lanes over d4 "
                           "(reduced)");
  found = planFor("n i,r r,k", "8x6");
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_EQ(found->lanes, Lanes::None);
  EXPECT_EQ(found->whyNoLanes, "the last dense dimension is summed over and is "
                               "not the last of an input");
  target = PlanTarget::GPU;
  found = planFor("n i,r k,r", "6x8");
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_EQ(found->lanes, Lanes::None);
}

TEST_F(BrickPlan, WithoutADenseDimensionThereAreNoLanes) {
  auto found = plan("n k",
                    "%v: memref<?xf32>, %x: memref<6xf32>, "
                    "%y: memref<4x5xf32>",
                    "i, j",
                    "ins(%v, %x : memref<?xf32>, memref<6xf32>) "
                    "outs(%y : memref<4x5xf32>) {\n^bb0(%a: f32, %c: f32):\n"
                    "%p = arith.mulf %a, %c : f32\n"
                    "astfe.yield \"addf\" %p : f32\n}");
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_EQ(found->walk, Walk::Bricks);
  EXPECT_EQ(found->keys, (SmallVector<unsigned>{1}));
  EXPECT_EQ(found->lanes, Lanes::None);
  EXPECT_EQ(found->whyNoLanes, "there is no dense dimension");
  EXPECT_EQ(found->outputs[0].protocol, Protocol::Scatter);
}

TEST_F(BrickPlan, WhatHasNoRowsOfAModeIsRefused) {
  const char *const body = "ins(%v : memref<?xf32>) outs(%s : memref<f32>) {\n"
                           "^bb0(%a: f32):\nastfe.yield \"addf\" %a : f32\n}";
  EXPECT_FALSE(plan("n", "%v: memref<?xf32>, %s: memref<f32>", "", body));
  EXPECT_EQ(refusal.reason, "expected one output that is indexed by a mode of "
                            "the pattern, of rank 3");
  const char *const rows =
      "ins(%v : memref<?xf32>) outs(%s : memref<4xf32>) {\n"
      "^bb0(%a: f32):\nastfe.yield \"addf\" %a : f32\n}";
  refusal = {};
  EXPECT_FALSE(
      plan("n", "%v: memref<?xf32>, %s: memref<4xf32>", "i", rows, "view"));
  EXPECT_EQ(refusal.reason,
            "expected a pattern of rank 2 or packed storage but "
            "got a view of rank 3");
}

TEST_F(BrickPlan, GPUsHaveTheSameWalkForTheirElements) {
  target = PlanTarget::GPU;
  const std::string sums = "%p = arith.mulf %a, %c : f32\n"
                           "%q = arith.mulf %p, %x : f32\n"
                           "astfe.yield \"addf\" %q : f32\n}";
  auto found = plan("n i,r k,r", kTypes, "j, r", kOperands + sums);
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_EQ(found->walk, Walk::Bricks);
  EXPECT_EQ(found->lanes, Lanes::Dense);
  EXPECT_FALSE(plan("n i,r k,r", kTypes, "j, r", kOperands + sums, "view"));
  EXPECT_NE(refusal.reason.find("packed storage"), std::string::npos);
  refusal = PlanRefusal();
  found = plan("n", "%v: memref<?xf16>, %M: memref<4xf16>", "i",
               "ins(%v : memref<?xf16>) outs(%M : memref<4xf16>) {\n"
               "^bb0(%x: f16):\nastfe.yield \"addf\" %x : f16\n}");
  ASSERT_TRUE(found) << refusal.reason;
  EXPECT_TRUE(found->outputs.front().accumulator.isF32());
  EXPECT_TRUE(found->widens);
  refusal = PlanRefusal();
  EXPECT_TRUE(plan("n", "%v: memref<?xi1>, %M: memref<4xi1>", "i",
                   "ins(%v : memref<?xi1>) outs(%M : memref<4xi1>) {\n"
                   "^bb0(%x: i1):\nastfe.yield \"ori\" %x : i1\n}"));
  EXPECT_FALSE(plan("n", "%v: memref<?xi4>, %M: memref<4xi4>", "i",
                    "ins(%v : memref<?xi4>) outs(%M : memref<4xi4>) {\n"
                    "^bb0(%x: i4):\nastfe.yield \"ori\" %x : i4\n}"));
  EXPECT_NE(refusal.reason.find("8 to 64 bits on a GPU"), std::string::npos);
}
