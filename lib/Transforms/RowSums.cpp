//===- RowSums.cpp - sums of a whole matrix or tensor, by rows first ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSums.h"
#include "LoopExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

/// The loop over the coordinates of the outermost level, if that is dense and
/// another one is below it.
static std::optional<unsigned> outermostLoop(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto encoding = getSparseTensorEncoding(input->get().getType());
    if (!encoding)
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    auto level = dyn_cast<AffineDimExpr>(encoding.getDimToLvl().getResult(0));
    if (!level || map.getNumResults() < 2 || !isDenseLT(encoding.getLvlType(0)))
      return std::nullopt;
    return map.getDimPosition(level.getPosition());
  }
  return std::nullopt;
}

/// The op by which the body adds a contribution to its output, if nothing else
/// reads that.
static Operation *combinerOf(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  Value output = body.getArguments().back();
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 || !output.hasOneUse() ||
      *output.user_begin() != combiner || !arith::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}

static bool isSum(linalg::GenericOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return false;
  auto output = dyn_cast<RankedTensorType>(op.getDpsInits()[0].getType());
  return output && output.getRank() == 0 && !output.getElementType().isF16() &&
         !output.getElementType().isBF16() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

RowSums::RowSums(linalg::LinalgOp op) : StandIn(op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!isSum(generic))
    return;
  std::optional<unsigned> loop = outermostLoop(generic);
  Operation *combiner = combinerOf(generic);
  if (!loop || !combiner)
    return;
  Location loc = op.getLoc();
  Value whole = op.getDpsInits()[0];
  Type element = getElementTypeOrSelf(whole);
  Value neutral = arith::ConstantOp::create(
      rewriter, loc, *arith::getNeutralElement(combiner));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef(extentsOf(rewriter, op, *loop).front()), element);
  Value rows =
      linalg::FillOp::create(rewriter, loc, neutral, empty).getResult(0);

  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  maps.back() =
      AffineMap::get(op.getNumLoops(), 0, rewriter.getAffineDimExpr(*loop),
                     rewriter.getContext());
  SmallVector<utils::IteratorType> iterators = generic.getIteratorTypesArray();
  iterators[*loop] = utils::IteratorType::parallel;
  byRows =
      linalg::GenericOp::create(rewriter, loc, rows.getType(),
                                generic.getInputs(), rows, maps, iterators);
  rewriter.cloneRegionBefore(generic.getRegion(), byRows.getRegion(),
                             byRows.getRegion().end());

  auto reduce = [&](OpBuilder &b, Location, ValueRange arguments) {
    IRMapping mapping;
    for (Value operand : combiner->getOperands())
      mapping.map(operand, arguments.front());
    mapping.map(generic.getRegion().front().getArguments().back(),
                arguments.back());
    linalg::YieldOp::create(b, loc, b.clone(*combiner, mapping)->getResult(0));
  };
  const AffineMap maps1[] = {rewriter.getMultiDimIdentityMap(1),
                             AffineMap::get(1, 0, rewriter.getContext())};
  result = linalg::GenericOp::create(rewriter, loc, whole.getType(),
                                     byRows.getResult(0), whole, maps1,
                                     utils::IteratorType::reduction, reduce)
               .getResult(0);
}

} // namespace astfe
