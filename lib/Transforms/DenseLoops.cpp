//===- DenseLoops.cpp - computations with one dense dimension -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseLoops.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "BodyCombiner.h"
#include "LoopExtents.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {

static bool isSparse(Value value) {
  return bool(sparse_tensor::getSparseTensorEncoding(value.getType()));
}

/// The loops that the sparse operands do not have.
static SmallVector<unsigned> denseLoops(linalg::LinalgOp op) {
  llvm::SmallBitVector sparse(op.getNumLoops());
  for (OpOperand *input : op.getDpsInputOperands())
    if (isSparse(input->get()))
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
          sparse.set(loop);
  SmallVector<unsigned> dense;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!sparse.test(loop))
      dense.push_back(loop);
  return dense;
}

/// Slices of nothing do not verify.
static bool isPlain(linalg::LinalgOp op) {
  auto isNothing = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  };
  return isPlainGeneric(dyn_cast<linalg::GenericOp>(op.getOperation())) &&
         llvm::none_of(op->getOperandTypes(), isNothing);
}

DenseLoops::DenseLoops(linalg::LinalgOp op, bool slices)
    : StandIn(op), slices(slices) {
  if (!isPlain(op) || denseLoops(op).size() < 2)
    return;
  innermost = cast<linalg::GenericOp>(rewriter.clone(*op));
  result = innermost->getResult(0);
  while (innermost && denseLoops(innermost).size() > 1)
    if (failed(simplify()))
      innermost = nullptr;
}

void DenseLoops::replaceInner(Value by) {
  if (result == innermost->getResult(0))
    result = by;
  rewriter.replaceOp(innermost, by);
}

/// A fill of merged tensors where `merged` is the merged tensor of a fill:
/// computations look for what their output begins as.
static Value mergeFill(RewriterBase &rewriter, Value merged) {
  auto reshape = merged.getDefiningOp<tensor::CollapseShapeOp>();
  auto fill = reshape ? reshape.getSrc().getDefiningOp<linalg::FillOp>()
                      : linalg::FillOp();
  if (!fill)
    return merged;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(reshape);
  Value empty = tensor::CollapseShapeOp::create(
      rewriter, fill.getLoc(), reshape.getType(), fill.getOutputs().front(),
      reshape.getReassociationIndices());
  return linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs(),
                                empty)
      .getResult(0);
}

namespace {
/// How often a loop runs, as the operands have it.
struct LoopExtent {
  Value extent;
  Value agree; ///< i1: all have the same; null where types say so
};
} // namespace

static LoopExtent agreedExtent(OpBuilder &b, linalg::GenericOp op,
                               unsigned loop) {
  Location loc = op.getLoc();
  SmallVector<Value> asked =
      getValueOrCreateConstantIndexOp(b, loc, extentsOf(b, op, loop));
  LoopExtent found{asked.front(), Value()};
  for (Value other : ArrayRef(asked).drop_front()) {
    if (other == found.extent)
      continue;
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, other,
                                       found.extent);
    found.agree =
        found.agree ? arith::AndIOp::create(b, loc, found.agree, same) : same;
  }
  return found;
}

/// Who computes afterwards sees merged dimensions, or slices.
static void assertAgree(OpBuilder &b, Location loc, Value agree) {
  auto check = cf::AssertOp::create(
      b, loc, agree,
      "expected operands of a computation whose extents agree with each other");
  check->setAttr(kExtentsAttr, b.getUnitAttr());
}

/// The same shape without tensor.expand_shape, where it makes several extents
/// that types do not know of one: upstream has no code for that.
static Value reshapeUnknown(RewriterBase &rewriter, Value expanded) {
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

/// Merged extents of 2 x 6 and 3 x 4 are no longer told apart: where types do
/// not know them, a loop around the op runs once, or not at all.
void DenseLoops::guardMerged(ArrayRef<ReassociationIndices> merged) {
  Location loc = innermost.getLoc();
  Value all;
  for (ArrayRef<int64_t> run : merged)
    for (int64_t loop : run)
      if (Value agree =
              agreedExtent(rewriter, innermost, unsigned(loop)).agree) {
        assertAgree(rewriter, loc, agree);
        all = all ? arith::AndIOp::create(rewriter, loc, all, agree) : agree;
      }
  if (!all)
    return;
  linalg::GenericOp op = innermost, next;
  Value output = op.getDpsInits().front();
  auto fill = output.getDefiningOp<linalg::FillOp>();
  auto body = [&](OpBuilder &b, Location, Value, ValueRange carried) {
    Value start = carried.front();
    if (fill)
      start =
          linalg::FillOp::create(b, loc, fill.getInputs(), start).getResult(0);
    IRMapping mapping;
    mapping.map(output, start);
    next = cast<linalg::GenericOp>(b.clone(*op, mapping));
    scf::YieldOp::create(b, loc, next.getResult(0));
  };
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value runs = arith::SelectOp::create(rewriter, loc, all, one, zero);
  auto loop =
      scf::ForOp::create(rewriter, loc, zero, runs, one,
                         fill ? fill.getOutputs().front() : output, body);
  replaceInner(loop.getResult(0));
  innermost = next;
  eraseDead(rewriter, output);
  rewriter.setInsertionPoint(innermost);
}

/// A loop that the output does not have adds to halves, which would be rounded
/// in each of its iterations.
static bool roundsSums(linalg::GenericOp op, const DensePlan &plan) {
  OpOperand *output = op.getDpsInitOperand(0);
  const BodyCombiner combiner = BodyCombiner::of(op);
  return combiner && combiner.rounds() &&
         llvm::any_of(plan.around, [&](unsigned loop) {
           return !placeOf(op.getMatchingIndexingMap(output), loop);
         });
}

/// The op adds to an output in f32, which is rounded once, behind all loops.
void DenseLoops::widenSums() {
  linalg::GenericOp op = innermost;
  Location loc = op.getLoc();
  Value output = op.getDpsInits().front();
  const Type wide = rewriter.getF32Type();
  Value start =
      tensor::EmptyOp::create(
          rewriter, loc, tensor::getMixedSizes(rewriter, loc, output), wide)
          .getResult();
  auto fill = output.getDefiningOp<linalg::FillOp>();
  if (fill) {
    Value number = arith::ExtFOp::create(rewriter, loc, wide, fill.value());
    start = linalg::FillOp::create(rewriter, loc, number, start).getResult(0);
  } else {
    start = converted<arith::ExtFOp>(rewriter, loc, output, start);
  }
  auto next = linalg::GenericOp::create(
      rewriter, loc, start.getType(), op.getDpsInputs(), start,
      op.getIndexingMapsArray(), op.getIteratorTypesArray());
  const BodyCombiner combiner = BodyCombiner::of(op);
  next.getRegion().takeBody(op.getRegion());
  combiner.widen(rewriter, next.getBody()->getArguments().back(), wide);
  replaceInner(
      converted<arith::TruncFOp>(rewriter, loc, next.getResult(0),
                                 fill ? fill.getOutputs().front() : output));
  innermost = next;
  eraseDead(rewriter, output);
}

/// Merges what can be merged; else puts one loop around.
LogicalResult DenseLoops::simplify() {
  const DensePlan plan =
      planDense(innermost.getIndexingMapsArray(), denseLoops(innermost));
  rewriter.setInsertionPoint(innermost);
  if (!plan.merged.empty()) {
    SmallVector<ReassociationIndices> merged(plan.merged.begin(),
                                             plan.merged.end());
    guardMerged(merged);
    auto collapsed =
        linalg::collapseOpIterationDims(innermost, merged, rewriter);
    if (failed(collapsed))
      return failure();
    replaceInner(reshapeUnknown(rewriter, collapsed->results.front()));
    innermost = cast<linalg::GenericOp>(collapsed->collapsedOp);
    OpOperand &output = innermost.getDpsInitsMutable()[0];
    Value reshaped = output.get();
    output.set(mergeFill(rewriter, reshaped));
    eraseDead(rewriter, reshaped);
    return success();
  }
  // A loop adds to its output, and sparse ones are made at once.
  if (!slices || isSparse(innermost.getDpsInits().front()))
    return failure();
  if (roundsSums(innermost, plan)) {
    widenSums();
    return success();
  }
  linalg::GenericOp next;
  Value output = innermost.getDpsInits().front();
  replaceInner(loopOver(plan.around.front(), next));
  innermost = next;
  eraseDead(rewriter, output);
  return success();
}

namespace {
/// The part of a tensor with one coordinate, without that dimension.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;

  Slice(OpBuilder &b, Location loc, Value tensor, unsigned place, Value at)
      : sizes(tensor::getMixedSizes(b, loc, tensor)) {
    auto whole = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape.erase(shape.begin() + place);
    type = RankedTensorType::get(shape, whole.getElementType());
    offsets.assign(sizes.size(), b.getIndexAttr(0));
    strides.assign(sizes.size(), b.getIndexAttr(1));
    offsets[place] = at;
    sizes[place] = b.getIndexAttr(1);
  }
  Value of(OpBuilder &b, Location loc, Value tensor) const {
    return tensor::ExtractSliceOp::create(b, loc, type, tensor, offsets, sizes,
                                          strides);
  }
  Value into(OpBuilder &b, Location loc, Value tensor, Value part) const {
    return tensor::InsertSliceOp::create(b, loc, part, tensor, offsets, sizes,
                                         strides);
  }
};
} // namespace

/// `next` becomes the op at one iteration of a loop, which is returned.
Value DenseLoops::loopOver(unsigned loop, linalg::GenericOp &next) {
  linalg::GenericOp op = innermost;
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps;
  llvm::SmallBitVector gone(op.getNumLoops());
  gone.set(loop);
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (auto place = placeOf(map, loop))
      map = map.dropResult(*place);
    maps.push_back(compressDims(map, gone));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + loop);
  // What fills the output fills a slice in each iteration.
  OpOperand *output = op.getDpsInitOperand(0);
  const auto place = placeOf(op.getMatchingIndexingMap(output), loop);
  auto fill = output->get().getDefiningOp<linalg::FillOp>();
  Value start = place && fill ? fill.getOutputs().front() : output->get();
  auto body = [&](OpBuilder &b, Location, Value at, ValueRange carried) {
    SmallVector<Value> operands;
    std::optional<Slice> slice; // at last, of the output
    for (OpOperand &operand : op->getOpOperands()) {
      Value whole = &operand == output ? carried.front() : operand.get();
      auto at0 = placeOf(op.getMatchingIndexingMap(&operand), loop);
      slice.reset();
      if (at0)
        slice.emplace(b, loc, whole, *at0, at);
      operands.push_back(slice ? slice->of(b, loc, whole) : whole);
    }
    if (place && fill)
      operands.back() =
          linalg::FillOp::create(b, loc, fill.getInputs(), operands.back())
              .getResult(0);
    next = linalg::GenericOp::create(b, loc, operands.back().getType(),
                                     ArrayRef(operands).drop_back(),
                                     operands.back(), maps, iterators);
    next.getRegion().takeBody(op.getRegion());
    Value made = next.getResult(0);
    if (slice)
      made = slice->into(b, loc, carried.front(), made);
    scf::YieldOp::create(b, loc, made);
  };
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto [extent, agree] = agreedExtent(rewriter, op, loop);
  if (agree) {
    assertAgree(rewriter, loc, agree);
    extent = arith::SelectOp::create(rewriter, loc, agree, extent, zero);
  }
  return scf::ForOp::create(rewriter, loc, zero, extent, one, start, body)
      .getResult(0);
}

} // namespace astfe
