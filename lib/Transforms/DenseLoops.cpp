//===- DenseLoops.cpp - computations with one dense dimension -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseLoops.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "BodyCombiner.h"
#include "MergedTensors.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

void DenseLoops::guardMerged(ArrayRef<ReassociationIndices> merged) {
  SmallVector<int64_t> loops;
  for (ArrayRef<int64_t> run : merged)
    llvm::append_range(loops, run);
  linalg::GenericOp op = innermost;
  auto guarded = guardExtents(rewriter, op, loops);
  if (!guarded)
    return;
  Value output = op.getDpsInits().front();
  replaceInner(guarded->result);
  innermost = guarded->inner;
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
  const auto fill = tensorFill(output);
  if (fill) {
    Value number = arith::ExtFOp::create(rewriter, loc, wide, fill->number);
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
  replaceInner(converted<arith::TruncFOp>(rewriter, loc, next.getResult(0),
                                          fill ? fill->into : output));
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
  const auto fill = tensorFill(output->get());
  Value start = place && fill ? fill->into : output->get();
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
          linalg::FillOp::create(b, loc, fill->number, operands.back())
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
