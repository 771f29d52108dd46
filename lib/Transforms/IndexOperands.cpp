//===- IndexOperands.cpp - coordinates as operands ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexOperands.h"
#include "ASTFE/Core/Target/Constants.h"
#include "LoopExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {

/// The loops whose indices the body reads, ascending.
static SmallVector<unsigned> loopsRead(linalg::LinalgOp op) {
  llvm::SmallBitVector read(op.getNumLoops());
  op.getBlock()->walk([&](linalg::IndexOp index) { read.set(index.getDim()); });
  return llvm::to_vector(
      llvm::map_range(read.set_bits(), [](unsigned loop) { return loop; }));
}

/// Whether the loop's coordinates may be an array: a dense operand is as long
/// anyway, or they are fewer than what a cache holds, if that is known.
static bool isCounted(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    if (!sparse_tensor::getSparseTensorEncoding(operand.get().getType()) &&
        op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop))
      return true;
  const int64_t known = op.getStaticLoopRanges()[loop];
  return ShapedType::isDynamic(known) ||
         known <= core::rules::kCacheBytes[3] / int64_t(sizeof(int64_t));
}

/// 0, 1, 2, ... as often as the loop runs, in 32 bits where types say that they
/// suffice.
static Value countAlong(OpBuilder &b, linalg::LinalgOp op, unsigned loop) {
  Location loc = op.getLoc();
  OpFoldResult extent = extentsOf(b, op, loop).front();
  std::optional<int64_t> known = getConstantIntValue(extent);
  Type element = b.getIntegerType(known && *known <= INT32_MAX ? 32 : 64);
  Value empty = tensor::EmptyOp::create(b, loc, ArrayRef(extent), element);
  AffineMap along = b.getMultiDimIdentityMap(1);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    Value index = linalg::IndexOp::create(b, loc, 0);
    linalg::YieldOp::create(
        b, loc, arith::IndexCastOp::create(b, loc, element, index).getResult());
  };
  return linalg::GenericOp::create(b, loc, empty.getType(), ValueRange(), empty,
                                   along, utils::IteratorType::parallel, body)
      .getResult(0);
}

/// The op with `counts` as its last inputs, which replace the indices of
/// `loops`.
static linalg::GenericOp readCounts(OpBuilder &b, linalg::GenericOp op,
                                    ArrayRef<unsigned> loops,
                                    ArrayRef<Value> counts) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  const AffineMap last = maps.pop_back_val();
  for (auto [loop, count] : llvm::zip(loops, counts)) {
    inputs.push_back(count);
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, b.getAffineDimExpr(loop),
                                  b.getContext()));
  }
  maps.push_back(last);
  auto made = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(),
                                        inputs, op.getOutputs(), maps,
                                        op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&made.getRegion(), mapping);
  Block &body = made.getRegion().front();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  for (auto [loop, count] : llvm::zip(loops, counts)) {
    const unsigned place = body.getNumArguments() - 1;
    Value read = body.insertArgument(
        place, cast<RankedTensorType>(count.getType()).getElementType(),
        op.getLoc());
    Value index =
        arith::IndexCastOp::create(b, op.getLoc(), b.getIndexType(), read);
    body.walk([&, loop = loop](linalg::IndexOp reads) {
      if (reads.getDim() == loop)
        reads.getResult().replaceAllUsesWith(index);
    });
  }
  body.walk([](linalg::IndexOp read) { read.erase(); });
  return made;
}

IndexOperands::IndexOperands(linalg::LinalgOp op) : StandIn(op), without(op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || !op.hasIndexSemantics() || !op.hasPureTensorSemantics() ||
      op.getNumDpsInits() != 1)
    return;
  SmallVector<unsigned> loops = loopsRead(op);
  if (!llvm::all_of(loops, [&](unsigned loop) { return isCounted(op, loop); }))
    return;
  SmallVector<Value> counts;
  for (unsigned loop : loops)
    counts.push_back(countAlong(rewriter, op, loop));
  linalg::GenericOp made = readCounts(rewriter, generic, loops, counts);
  result = made.getResult(0);
  without = made;
}

void IndexOperands::keep() {
  if (without != original)
    StandIn::keep();
  original = nullptr;
}

} // namespace astfe
