//===- RowSums.cpp - sums over more than nonzeros, by rows first ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSums.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Core/Target/Constants.h"
#include "BodyCombiner.h"
#include "LoopExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

static bool isPlain(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         !op.hasIndexSemantics() &&
         !getSparseTensorEncoding(op.getDpsInits()[0].getType()) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

static OpOperand *sparseInput(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (getSparseTensorEncoding(input->get().getType()))
      return input;
  return nullptr;
}

/// The loops of the output, in its order.
static SmallVector<unsigned> outputLoops(linalg::GenericOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> loops;
  for (unsigned place = 0; place < map.getNumResults(); ++place)
    loops.push_back(map.getDimPosition(place));
  return loops;
}

/// A dense operand is indexed by all of the loops.
static bool isInDense(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return !getSparseTensorEncoding(input->get().getType()) &&
           llvm::all_of(
               loops, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  });
}

/// The loop over the rows that are summed up by themselves, as RowSums says.
static std::optional<unsigned> rowLoop(linalg::GenericOp op,
                                       OpOperand *sparse) {
  auto levels = storedLevels(getSparseTensorEncoding(sparse->get().getType()));
  if (!levels)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(sparse);
  SmallVector<unsigned> rows; // outermost first
  for (const StoredLevel &level : *levels)
    rows.push_back(map.getDimPosition(level.mode));
  auto isShared = [&](unsigned loop) {
    SmallVector<unsigned> both = outputLoops(op);
    both.push_back(loop);
    return isInDense(op, both);
  };
  const bool isVector = outputLoops(op).empty();
  if (isVector && levels->size() > 1 &&
      levels->front().kind == core::LevelKind::Dense)
    return rows.front();
  if (auto found = llvm::find_if(rows, isShared); found != rows.end())
    return *found;
  auto isShort = [&](unsigned loop) {
    const int64_t known = op.getStaticLoopRanges()[loop];
    return ShapedType::isDynamic(known) ||
           known <= core::rules::kCacheBytes[3] / int64_t(sizeof(int64_t));
  };
  auto found = llvm::find_if(rows, isShort);
  return isVector && found != rows.end() ? std::optional(*found) : std::nullopt;
}

namespace {
/// The loops of the output with those that it gets.
struct RowLoops {
  SmallVector<unsigned> all, added;
};
} // namespace

/// Modes come before dense dimensions.
static std::optional<RowLoops> rowLoops(linalg::GenericOp op) {
  OpOperand *sparse = sparseInput(op);
  if (!sparse)
    return std::nullopt;
  AffineMap modes = op.getMatchingIndexingMap(sparse);
  RowLoops loops;
  loops.all = outputLoops(op);
  auto isMode = [&](unsigned loop) { return modes.isFunctionOfDim(loop); };
  if (llvm::none_of(loops.all, isMode)) {
    std::optional<unsigned> rows = rowLoop(op, sparse);
    if (!rows)
      return std::nullopt;
    loops.added.push_back(*rows);
    loops.all.insert(loops.all.begin(), *rows);
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!isMode(loop) && !llvm::is_contained(loops.all, loop)) {
      loops.added.push_back(loop);
      loops.all.push_back(loop);
    }
  return loops;
}

static Value constant(OpBuilder &b, Location loc, TypedAttr value, Type type) {
  if (auto number = dyn_cast<complex::NumberAttr>(value)) {
    auto part = cast<ComplexType>(type).getElementType();
    return complex::ConstantOp::create(
        b, loc, type,
        b.getArrayAttr({FloatAttr::get(part, number.getReal()),
                        FloatAttr::get(part, number.getImag())}));
  }
  if (type != value.getType())
    value = FloatAttr::get(type, cast<FloatAttr>(value).getValueAsDouble());
  return arith::ConstantOp::create(b, loc, value);
}

/// What holds the neutral element wherever the loops go.
static Value filled(OpBuilder &b, linalg::GenericOp op,
                    const BodyCombiner &combiner, ArrayRef<unsigned> loops,
                    Type element) {
  Location loc = op.getLoc();
  Value neutral = constant(b, loc, combiner.neutral(), element);
  SmallVector<OpFoldResult> extents;
  for (unsigned loop : loops)
    extents.push_back(extentsOf(b, op, loop).front());
  Value empty = tensor::EmptyOp::create(b, loc, extents, element);
  return linalg::FillOp::create(b, loc, neutral, empty).getResult(0);
}

static AffineMap mapOf(OpBuilder &b, linalg::GenericOp op,
                       ArrayRef<unsigned> loops) {
  SmallVector<AffineExpr> results;
  for (unsigned loop : loops)
    results.push_back(b.getAffineDimExpr(loop));
  return AffineMap::get(op.getNumLoops(), 0, results, b.getContext());
}

/// The op with that output.
static linalg::GenericOp sumByRows(RewriterBase &b, linalg::GenericOp op,
                                   const RowLoops &loops, Value rows) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.back() = mapOf(b, op, loops.all);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop : loops.added)
    iterators[loop] = utils::IteratorType::parallel;
  auto made = linalg::GenericOp::create(b, op.getLoc(), rows.getType(),
                                        op.getInputs(), rows, maps, iterators);
  b.cloneRegionBefore(op.getRegion(), made.getRegion(), made.getRegion().end());
  return made;
}

/// Adds the rows to `into`, whose dimensions are the first of `loops`.
static Value reduceRows(OpBuilder &b, const BodyCombiner &combiner, Value rows,
                        const RowLoops &loops, Value into) {
  const auto kept = unsigned(loops.all.size() - loops.added.size());
  SmallVector<AffineExpr> places;
  unsigned nextKept = 0, nextAdded = kept;
  for (unsigned loop : loops.all)
    places.push_back(b.getAffineDimExpr(
        llvm::is_contained(loops.added, loop) ? nextAdded++ : nextKept++));
  const auto number = unsigned(loops.all.size());
  const AffineMap all = b.getMultiDimIdentityMap(number);
  const AffineMap maps[] = {AffineMap::get(number, 0, places, b.getContext()),
                            AffineMap::get(number, 0,
                                           all.getResults().take_front(kept),
                                           b.getContext())};
  SmallVector<utils::IteratorType> iterators(kept,
                                             utils::IteratorType::parallel);
  iterators.append(loops.added.size(), utils::IteratorType::reduction);
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    linalg::YieldOp::create(
        b, loc, combiner.clone(b, elements.front(), elements.back()));
  };
  return linalg::GenericOp::create(b, rows.getLoc(), into.getType(), rows, into,
                                   maps, iterators, body)
      .getResult(0);
}

/// Combines halves with sums in f32, and rounds the results.
static Value roundInto(OpBuilder &b, const BodyCombiner &combiner, Value sums,
                       Value output) {
  Type wide = getElementTypeOrSelf(sums);
  auto type = cast<RankedTensorType>(output.getType());
  const AffineMap map = b.getMultiDimIdentityMap(unsigned(type.getRank()));
  const SmallVector<utils::IteratorType> iterators(
      size_t(type.getRank()), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    Value before = arith::ExtFOp::create(b, loc, wide, elements.back());
    Value sum = combiner.clone(b, elements.front(), before);
    linalg::YieldOp::create(
        b, loc,
        arith::TruncFOp::create(b, loc, type.getElementType(), sum)
            .getResult());
  };
  return linalg::GenericOp::create(b, sums.getLoc(), type, sums, output,
                                   ArrayRef<AffineMap>{map, map}, iterators,
                                   body)
      .getResult(0);
}

RowSums::RowSums(linalg::LinalgOp op) : StandIn(op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!isPlain(generic))
    return;
  std::optional<RowLoops> loops = rowLoops(generic);
  const BodyCombiner combiner = BodyCombiner::of(generic);
  if (!loops || loops->added.empty() || !combiner || !combiner.neutral())
    return;
  Value output = op.getDpsInits()[0];
  const bool rounds = combiner.rounds();
  const Type element =
      rounds ? rewriter.getF32Type() : getElementTypeOrSelf(output);
  byRows = sumByRows(rewriter, generic, *loops,
                     filled(rewriter, generic, combiner, loops->all, element));
  if (rounds)
    BodyCombiner::of(byRows).widen(
        rewriter, byRows.getBody()->getArguments().back(), element);
  Value into = output;
  if (rounds)
    into = filled(rewriter, generic, combiner, outputLoops(generic), element);
  result = reduceRows(rewriter, combiner, byRows.getResult(0), *loops, into);
  if (rounds)
    result = roundInto(rewriter, combiner, result, output);
}

} // namespace astfe
