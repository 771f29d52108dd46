//===- ComputePlanTest.cpp - what computations become ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/InitAll.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace astfe;

namespace {
struct ComputePlanTest : testing::Test {
  ComputePlanTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// y (+)= v_n x z over a matrix, with these maps of x, z and y, in f32.
  ComputeQuestion ask(const std::string &dims, const std::string &x,
                      const std::string &z, const std::string &y,
                      const std::string &layout = "view",
                      const std::string &body = "%m = arith.mulf %a, %b : f32\n"
                                                "%p = arith.mulf %m, %c : f32",
                      const std::string &combiner = "addf") {
    auto tensor = [](const std::string &results) {
      std::string type = "tensor<";
      if (!results.empty())
        for (long n = std::count(results.begin(), results.end(), ','); n >= 0;
             --n)
          type += "?x";
      return type + "f32>";
    };
    auto map = [&](const std::string &results) {
      return "affine_map<(" + dims + ") -> (" + results + ")>";
    };
    std::string text =
        "!P = !astfe.blocked<?x?, #astfe.layout<" + layout +
        ">>\nfunc.func @f(%P: !P, %v: tensor<?xf32>, %x: " + tensor(x) +
        ", %z: " + tensor(z) + ", %y: " + tensor(y) + ") -> " + tensor(y) +
        " {\n%r = astfe.compute over %P : !P maps [" + map("n") + ", " +
        map(x) + ", " + map(z) + ", " + map(y) +
        "] ins(%v, %x, %z : " + tensor("n") + ", " + tensor(x) + ", " +
        tensor(z) + ") outs(%y : " + tensor(y) +
        ") {\n^bb0(%a: f32, %b: f32, %c: f32):\n" + body + "\nastfe.yield \"" +
        combiner + "\" %p : f32\n} -> " + tensor(y) +
        "\nreturn %r : " + tensor(y) + "\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    ComputeQuestion question;
    if (module)
      module->walk(
          [&](ComputeOp op) { question = questionOf(op, PlanTarget::Host); });
    return question;
  }

  static std::string planText(ComputeQuestion question,
                              PlanTarget target = PlanTarget::Host) {
    question.target = target;
    PlanRefusal refusal;
    auto plan = planCompute(question, refusal);
    return plan ? plan->text() : "refused: " + refusal.reason;
  }

  static ComputePlan planOf(const ComputeQuestion &question) {
    PlanRefusal refusal;
    auto plan = planCompute(question, refusal);
    EXPECT_TRUE(plan) << refusal.reason;
    return plan.value_or(ComputePlan());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(ComputePlanTest, ComplexNumbersArePlannedAsTheirParts) {
  auto plan = [&](const std::string &maps, const std::string &type,
                  const std::string &body, PlanTarget target) {
    module = parseSourceString<ModuleOp>(
        "!P = !astfe.blocked<?x?, #astfe.layout<view>>\n"
        "func.func @f(%P: !P, %v: tensor<?xcomplex<f32>>, %B: " +
            type + ", %C: " + type + ") -> " + type +
            " {\n%r = astfe.compute over %P : !P maps " + maps +
            " ins(%v, %B : tensor<?xcomplex<f32>>, " + type + ") outs(%C : " +
            type + ") {\n^bb0(%a: complex<f32>, %b: complex<f32>):\n" + body +
            " : complex<f32>\nastfe.yield \"addf\" %p : complex<f32>\n} -> " +
            type + "\nreturn %r : " + type + "\n}",
        &context);
    ComputeQuestion question;
    module->walk([&](ComputeOp op) { question = questionOf(op, target); });
    return planText(question, target);
  };
  const std::string columns =
      "[affine_map<(n, i, j, k) -> (n)>, affine_map<(n, i, j, k) -> (j, k)>, "
      "affine_map<(n, i, j, k) -> (i, k)>]";
  const std::string type = "tensor<?x8xcomplex<f32>>";
  EXPECT_EQ(plan(columns, type, "%p = complex.mul %a, %b", PlanTarget::Host),
            "segment by segments of (i1), pairs of lanes over d3");
  // Both parts of a lane's number are one value in a body of pairs.
  EXPECT_EQ(plan(columns, type,
                 "%x = complex.re %b : complex<f32>\n"
                 "%s = complex.create %x, %x : complex<f32>\n"
                 "%p = complex.mul %a, %s",
                 PlanTarget::Host),
            "segment by segments of (i1), lanes over d3");
  // The parts of a number are side by side, though the columns of B lie apart.
  EXPECT_EQ(plan("[affine_map<(n, i, j, k) -> (n)>, "
                 "affine_map<(n, i, j, k) -> (k, j)>, "
                 "affine_map<(n, i, j, k) -> (i, k)>]",
                 "tensor<?x?xcomplex<f32>>", "%p = complex.mul %a, %b",
                 PlanTarget::Host),
            "segment by segments of (i1), pairs of lanes over d3");
  // A vector is a column.
  const std::string vectors =
      "[affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>, "
      "affine_map<(n, i, j) -> (i)>]";
  EXPECT_EQ(plan(vectors, "tensor<?xcomplex<f32>>", "%p = complex.mul %a, %b",
                 PlanTarget::Host),
            "segment by segments of (i1), a pair of lanes");
  EXPECT_EQ(plan(columns, type, "%p = complex.div %a, %b", PlanTarget::Host),
            "refused: expected complex.add, conj, constant, create, im, mul, "
            "neg, re or sub, or arith.select, on complex numbers but got "
            "complex.div");
  EXPECT_EQ(plan(columns, type, "%p = complex.mul %a, %b", PlanTarget::GPU),
            "segment by segments of (i1), lanes over d3");
}

TEST_F(ComputePlanTest, RemaindersRunInLanesByKnownDivisorsOnly) {
  auto text = [&](const std::string &op, const std::string &divisor) {
    return planText(ask("n, i, j", "j", "i", "i", "view",
                        "%x0 = arith.fptosi %a : f32 to i32\n"
                        "%x1 = arith.fptosi %b : f32 to i32\n" +
                            divisor + "\n%r = arith." + op +
                            " %x0, %d : i32\n"
                            "%p = arith.sitofp %r : i32 to f32"));
  };
  const std::string lanes = "segment by segments of (i1), lanes over slots";
  const std::string stored = "%d = arith.addi %x1, %x0 : i32";
  auto number = [](const std::string &n) {
    return "%d = arith.constant " + n + " : i32";
  };
  for (const char *op : {"remsi", "remui", "floordivsi", "divsi", "divui",
                         "ceildivsi", "ceildivui"}) {
    EXPECT_EQ(text(op, number("7")), lanes) << op;
    // Lanes behind the last nonzero would divide by zero.
    EXPECT_EQ(text(op, stored), "segment one by one") << op;
    EXPECT_EQ(text(op, number("0")), "segment one by one") << op;
  }
  // The least integer by -1 traps, too.
  EXPECT_EQ(text("remsi", number("-1")), "segment one by one");
  EXPECT_EQ(text("floordivsi", number("-1")), "segment one by one");
  EXPECT_EQ(text("remui", number("-1")), lanes);
  for (const char *op : {"shli", "shrsi", "shrui", "muli"})
    EXPECT_EQ(text(op, stored), lanes) << op;
}

TEST_F(ComputePlanTest, ProductsAreReducedBySegments) {
  EXPECT_EQ(planText(ask("n, i, j", "j", "i", "i")),
            "segment by segments of (i1), lanes over slots");
  auto matrix = ask("n, i, j, k", "j, k", "i", "i, k");
  EXPECT_EQ(planText(matrix), "segment by segments of (i1), lanes over d3");
  EXPECT_EQ(planText(matrix, PlanTarget::GPU), planText(matrix));
}

TEST_F(ComputePlanTest, StorageByColumnsSwapsKeysAndWalkedModes) {
  ComputeQuestion question = ask("n, i, j, k", "j, k", "i", "i, k");
  question.storedModes = {2, 1};
  EXPECT_EQ(planText(question), "scatter by parts of (i1), lanes over d3");
  question = ask("n, i, j, k", "i, k", "i", "j, k");
  EXPECT_EQ(planText(question), "scatter by parts of (i2), lanes over d3");
  question.storedModes = {2, 1};
  EXPECT_EQ(planText(question), "segment by segments of (i2), lanes over d3");
}

TEST_F(ComputePlanTest, SamplesReduceTheirLanesAndFactorTheValueOut) {
  ComputeQuestion question = ask("n, i, j, k", "i, k", "j, k", "n");
  ComputePlan plan = planOf(question);
  EXPECT_EQ(plan.text(), "once by segments of (i1), lanes over d3 (reduced)");
  EXPECT_EQ(plan.reduced, (SmallVector<unsigned>{3}));
  EXPECT_EQ(plan.factors, (SmallVector<Value>{question.arguments[0]}));
  EXPECT_EQ(plan.terms,
            (SmallVector<Value>{question.arguments[1], question.arguments[2]}));
  EXPECT_EQ(planText(question, PlanTarget::GPU), plan.text());
  EXPECT_EQ(planText(ask("n, i, j", "i", "j", "n")),
            "once by segments of (i1), lanes over slots");
}

TEST_F(ComputePlanTest, OnlyProductsLeaveASum) {
  ComputePlan plan = planOf(ask("n, i, j, k", "i, k", "j, k", "n", "view",
                                "%m = arith.mulf %b, %c : f32\n"
                                "%p = arith.addf %m, %a : f32"));
  EXPECT_TRUE(plan.factors.empty());
  plan = planOf(ask("n, i, j, k", "i, k", "j, k", "n", "view",
                    "%m = arith.mulf %b, %c : f32\n"
                    "%p = arith.mulf %m, %a : f32",
                    "maximumf"));
  EXPECT_TRUE(plan.factors.empty());
}

TEST_F(ComputePlanTest, OtherClassesAreForRowsOnly) {
  const std::string all = "packed, columns = 32, classes = [row_segments, "
                          "scattered, dense_tile]";
  auto names = [&](const ComputeQuestion &question) {
    return core::classNames(planOf(question).classes);
  };
  EXPECT_EQ(names(ask("n, i, j, k", "j, k", "i", "i, k", all)),
            "row_segments, scattered, dense_tile");
  EXPECT_EQ(names(ask("n, i, j, k", "i, k", "j, k", "n", all)),
            "row_segments, scattered");
}

TEST_F(ComputePlanTest, WhatHasNoLanesSaysWhy) {
  ComputePlan plan = planOf(ask("n, i, j, k, l", "j, k", "i, l", "i, k"));
  EXPECT_EQ(plan.text(), "segment one by one");
  EXPECT_EQ(plan.whySerial, "there is more than one dense dimension");
}

TEST_F(ComputePlanTest, LanesMayLieApart) {
  EXPECT_EQ(planText(ask("n, i, j, k", "k, j", "i, k", "n")),
            "once by segments of (i1), lanes over d3 (reduced)");
  EXPECT_EQ(planText(ask("n, i, j, k", "n", "k, j", "k, i")),
            "segment by segments of (i1), lanes over d3");
}

TEST_F(ComputePlanTest, RefusalsNameTheTargetsLimit) {
  EXPECT_EQ(planText(ask("n, i, j, k", "j, k", "i", "i"), PlanTarget::GPU),
            "refused: expected no reduction over a dense dimension for rows "
            "on a GPU");
  ComputeQuestion question = ask("n, i, j", "j", "i", "i");
  question.modes = 3;
  PlanRefusal refusal;
  EXPECT_FALSE(planCompute(question, refusal));
  EXPECT_EQ(refusal.reason, "expected maps that pick different dimensions");
}

TEST_F(ComputePlanTest, KernelsReadCellsOfADenseMatrix) {
  // Of one scaled by the elements of a dense matrix, whichever way it lies, and
  // of rows summed up so.
  for (const std::string cell : {"i, j", "j, i"})
    for (const std::string layout :
         {"view", "packed, columns = 32, classes = [row_segments]"}) {
      EXPECT_EQ(
          planText(ask("n, i, j", cell, "i", "n", layout), PlanTarget::GPU),
          "once by segments of (i1), lanes over slots");
      EXPECT_EQ(planText(ask("n, i, j, k", cell, "j, k", "i, k", layout),
                         PlanTarget::GPU),
                "segment by segments of (i1), lanes over d3");
    }
  // Those of chains, too; none has rows of columns there.
  ComputeQuestion chained = ask("n, i, j", "i, j", "i", "n");
  chained.inChain = true;
  EXPECT_EQ(planText(chained, PlanTarget::GPU),
            "once by segments of (i1), lanes over slots");
  EXPECT_EQ(planText(ask("n, i, j, k", "i, j, k", "i", "i, k"), PlanTarget::GPU)
                .find("refused: expected an operand indexed by"),
            0u);
}
