//===- ComputeOpTest.cpp - accessors and builders of astfe.compute --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace astfe;
using utils::IteratorType;

namespace {
struct ComputeOpTest : testing::Test {
  ComputeOpTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  ComputeOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ComputeOp found;
    if (module)
      module->walk([&](ComputeOp op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(ComputeOpTest, DerivesIterators) {
  ComputeOp spmm = parse(R"(
    func.func @f(%P: !astfe.blocked<4x8, #astfe.layout<view>>,
                 %v: tensor<?xf32>, %B: tensor<8x3xf32>, %C: tensor<4x3xf32>)
        -> tensor<4x3xf32> {
      %r = astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>>
          maps [affine_map<(n, i, k, j) -> (n)>,
                affine_map<(n, i, k, j) -> (k, j)>,
                affine_map<(n, i, k, j) -> (i, j)>]
          ins(%v, %B : tensor<?xf32>, tensor<8x3xf32>)
          outs(%C : tensor<4x3xf32>) {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        astfe.yield "addf" %p : f32
      } -> tensor<4x3xf32>
      return %r : tensor<4x3xf32>
    })");
  ASSERT_TRUE(spmm);
  EXPECT_EQ(spmm.getPatternRank(), 2u);
  EXPECT_EQ(spmm.getIterationRank(), 4u);
  EXPECT_FALSE(spmm.hasBufferSemantics());
  EXPECT_EQ(spmm.getIteratorTypes(),
            (SmallVector<IteratorType>{
                IteratorType::reduction, IteratorType::parallel,
                IteratorType::reduction, IteratorType::parallel}));
  auto yield = cast<YieldOp>(spmm.getBody().front().getTerminator());
  EXPECT_EQ(yield.getKind(0), arith::AtomicRMWKind::addf);
}

TEST_F(ComputeOpTest, AValuePerNonzeroIsParallelInTheNonzero) {
  ComputeOp sddmm = parse(R"(
    func.func @f(%P: !astfe.blocked<4x8, #astfe.layout<view>>,
                 %A: memref<4x3xf32>, %B: memref<3x8xf32>, %v: memref<?xf32>) {
      astfe.compute over %P : !astfe.blocked<4x8, #astfe.layout<view>>
          maps [affine_map<(n, i, j, k) -> (i, k)>,
                affine_map<(n, i, j, k) -> (k, j)>,
                affine_map<(n, i, j, k) -> (n)>]
          ins(%A, %B : memref<4x3xf32>, memref<3x8xf32>)
          outs(%v : memref<?xf32>) {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        astfe.yield "addf" %p : f32
      }
      return
    })");
  ASSERT_TRUE(sddmm);
  EXPECT_TRUE(sddmm.hasBufferSemantics());
  // A sum reads what it adds to, or what was stored there before would be dead.
  auto reads = [&](Value value) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    sddmm.getEffects(effects);
    return llvm::any_of(effects, [&](auto &effect) {
      return isa<MemoryEffects::Read>(effect.getEffect()) &&
             effect.getValue() == value;
    });
  };
  EXPECT_TRUE(reads(sddmm.getInputs()[0]));
  EXPECT_TRUE(reads(sddmm.getOutputs()[0]));
  sddmm.setOverwrite(true);
  EXPECT_FALSE(reads(sddmm.getOutputs()[0]));
  EXPECT_EQ(sddmm.getIteratorTypes().front(), IteratorType::parallel);
  EXPECT_EQ(sddmm.getIteratorTypes().back(), IteratorType::reduction);
}

TEST_F(ComputeOpTest, IsBuiltInCode) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto pattern =
      BlockedType::get(&context, {4, 8}, LayoutAttr::getView(&context));
  auto vector = RankedTensorType::get({8}, builder.getF32Type());
  auto result = RankedTensorType::get({4}, builder.getF32Type());
  auto function = func::FuncOp::create(
      builder, loc, "f",
      builder.getFunctionType({pattern, vector, result}, {result}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  AffineExpr i = builder.getAffineDimExpr(1), k = builder.getAffineDimExpr(2);
  auto compute = ComputeOp::create(
      builder, loc, TypeRange(result), entry->getArgument(0),
      ValueRange(entry->getArgument(1)), ValueRange(entry->getArgument(2)),
      builder.getAffineMapArrayAttr(
          {AffineMap::get(3, 0, k), AffineMap::get(3, 0, i)}),
      KernelAttr());
  Block *body = builder.createBlock(&compute.getBody(), {},
                                    {builder.getF32Type()}, {loc});
  Attribute add =
      arith::AtomicRMWKindAttr::get(&context, arith::AtomicRMWKind::addf);
  YieldOp::create(builder, loc, builder.getArrayAttr({add}),
                  body->getArguments());
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, loc, compute.getResults());
  EXPECT_TRUE(succeeded(verify(*module)));
}
