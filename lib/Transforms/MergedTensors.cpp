//===- MergedTensors.cpp - dimensions of tensors as one -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedTensors.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "LoopExtents.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {

Value mergeFill(RewriterBase &rewriter, Value merged) {
  auto reshape = merged.getDefiningOp<tensor::CollapseShapeOp>();
  const auto fill =
      reshape ? tensorFill(reshape.getSrc()) : std::optional<TensorFill>();
  if (!fill)
    return merged;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(reshape);
  Value empty = tensor::CollapseShapeOp::create(
      rewriter, reshape.getLoc(), reshape.getType(), fill->into,
      reshape.getReassociationIndices());
  return linalg::FillOp::create(rewriter, reshape.getLoc(), fill->number, empty)
      .getResult(0);
}

Value reshapeUnknown(RewriterBase &rewriter, Value expanded) {
  auto expand = expanded.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand)
    return expanded;
  auto type = cast<RankedTensorType>(expand.getType());
  const bool isKnown = llvm::all_of(
      expand.getReassociationIndices(), [&](ArrayRef<int64_t> run) {
        return llvm::count_if(run, [&](int64_t place) {
                 return type.isDynamicDim(unsigned(place));
               }) <= 1;
      });
  if (isKnown)
    return expanded;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(expand);
  Location loc = expand.getLoc();
  SmallVector<Value> extents = getValueOrCreateConstantIndexOp(
      rewriter, loc, expand.getMixedOutputShape());
  Value shape = tensor::FromElementsOp::create(rewriter, loc, extents);
  Value reshaped =
      tensor::ReshapeOp::create(rewriter, loc, type, expand.getSrc(), shape);
  rewriter.replaceOp(expand, reshaped);
  return reshaped;
}

/// What an extent of an empty tensor was made of.
static Value resolvedExtent(Value extent) {
  auto dim = extent.getDefiningOp<tensor::DimOp>();
  auto empty = dim ? dim.getSource().getDefiningOp<tensor::EmptyOp>()
                   : tensor::EmptyOp();
  if (!empty || !dim.getConstantIndex() ||
      !empty.getType().isDynamicDim(unsigned(*dim.getConstantIndex())))
    return extent;
  return empty.getDynamicSize(unsigned(*dim.getConstantIndex()));
}

/// The same value, or the same extent of the same tensor.
static bool isSameExtent(Value a, Value b) {
  a = resolvedExtent(a);
  b = resolvedExtent(b);
  if (a == b)
    return true;
  auto dimA = a.getDefiningOp<tensor::DimOp>();
  auto dimB = b.getDefiningOp<tensor::DimOp>();
  return dimA && dimB && dimA.getSource() == dimB.getSource() &&
         dimA.getConstantIndex() &&
         dimA.getConstantIndex() == dimB.getConstantIndex();
}

LoopExtent agreedExtent(OpBuilder &b, linalg::GenericOp op, unsigned loop) {
  Location loc = op.getLoc();
  SmallVector<Value> asked =
      getValueOrCreateConstantIndexOp(b, loc, extentsOf(b, op, loop));
  LoopExtent found{asked.front(), Value()};
  for (Value other : ArrayRef(asked).drop_front()) {
    if (isSameExtent(other, found.extent))
      continue;
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, other,
                                       found.extent);
    found.agree =
        found.agree ? arith::AndIOp::create(b, loc, found.agree, same) : same;
  }
  return found;
}

void assertAgree(OpBuilder &b, Location loc, Value agree) {
  auto check = cf::AssertOp::create(
      b, loc, agree,
      "expected operands of a computation whose extents agree with each other");
  check->setAttr(kExtentsAttr, b.getUnitAttr());
}

std::optional<GuardedOp> guardExtents(RewriterBase &rewriter,
                                      linalg::GenericOp op,
                                      ArrayRef<int64_t> loops) {
  Location loc = op.getLoc();
  Value all;
  for (int64_t loop : loops)
    if (Value agree = agreedExtent(rewriter, op, unsigned(loop)).agree) {
      assertAgree(rewriter, loc, agree);
      all = all ? arith::AndIOp::create(rewriter, loc, all, agree) : agree;
    }
  if (!all)
    return std::nullopt;
  GuardedOp guarded;
  Value output = op.getDpsInits().front();
  const auto fill = tensorFill(output);
  auto body = [&](OpBuilder &b, Location, Value, ValueRange carried) {
    Value start = carried.front();
    if (fill)
      start = linalg::FillOp::create(b, loc, fill->number, start).getResult(0);
    IRMapping mapping;
    mapping.map(output, start);
    guarded.inner = cast<linalg::GenericOp>(b.clone(*op, mapping));
    scf::YieldOp::create(b, loc, guarded.inner.getResult(0));
  };
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value runs = arith::SelectOp::create(rewriter, loc, all, one, zero);
  guarded.result = scf::ForOp::create(rewriter, loc, zero, runs, one,
                                      fill ? fill->into : output, body)
                       .getResult(0);
  return guarded;
}

} // namespace astfe
