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
#include "DenseColumns.h"
#include "LoopExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

static bool isPlain(linalg::GenericOp op) {
  return isPlainGeneric(op) &&
         !getSparseTensorEncoding(op.getDpsInits()[0].getType());
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

/// Their extents are known, and so many elements take at most `most` bytes.
static bool fit(linalg::GenericOp op, ArrayRef<unsigned> loops, Type element,
                int64_t most) {
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t room = most / int64_t(elementBytes(element));
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(extents[loop]))
      return false;
    room /= std::max<int64_t>(extents[loop], 1);
  }
  return room > 0;
}

/// As far as extents are known, so many elements have numbers of 32 bits.
static bool fitNarrow(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t room = INT32_MAX;
  for (unsigned loop : loops)
    if (!ShapedType::isDynamic(extents[loop]))
      room /= std::max<int64_t>(extents[loop], 1);
  return room > 0;
}

/// The loops over modes of the sparse operand, outermost level first.
static SmallVector<unsigned> modeLoops(ArrayRef<StoredLevel> levels,
                                       AffineMap map) {
  SmallVector<unsigned> loops;
  for (const StoredLevel &level : levels)
    loops.push_back(map.getDimPosition(level.mode));
  return loops;
}

namespace {
/// The loops of the output with those that it gets.
struct RowLoops {
  SmallVector<unsigned> all, added;
};
} // namespace

/// Modes come before dense dimensions.
static RowLoops withRows(linalg::GenericOp op, AffineMap modes,
                         std::optional<unsigned> rows, bool keepsDense) {
  RowLoops loops;
  loops.all = outputLoops(op);
  if (rows) {
    loops.added.push_back(*rows);
    loops.all.insert(loops.all.begin(), *rows);
  }
  for (unsigned loop = 0; loop < op.getNumLoops() && !keepsDense; ++loop)
    if (!modes.isFunctionOfDim(loop) && !llvm::is_contained(loops.all, loop)) {
      loops.added.push_back(loop);
      loops.all.push_back(loop);
    }
  return loops;
}

/// Of the sparse operand, if there is one in a format that has some.
static auto sparseLevels(linalg::GenericOp op) {
  OpOperand *sparse = sparseInput(op);
  return sparse ? storedLevels(getSparseTensorEncoding(sparse->get().getType()))
                : std::nullopt;
}

/// As RowSums says.
static std::optional<RowLoops> rowLoops(linalg::GenericOp op, Type element,
                                        bool onGPU, bool keepsDense) {
  auto levels = sparseLevels(op);
  const AffineMap modes = op.getMatchingIndexingMap(sparseInput(op));
  const SmallVector<unsigned> candidates = modeLoops(*levels, modes);
  // An array of the format is as long as the outermost level.
  auto isOutermost = [&](unsigned loop) {
    return loop == candidates.front() && levels->size() > 1 &&
           levels->front().kind == core::LevelKind::Dense;
  };
  auto isBounded = [&](const RowLoops &loops) {
    SmallVector<unsigned> others;
    bool hasOutermost = false;
    for (unsigned loop : loops.all)
      if (isOutermost(loop))
        hasOutermost = true;
      else
        others.push_back(loop);
    return (hasOutermost &&
            fit(op, others, element, core::rules::kLineBytes)) ||
           isInDense(op, loops.all) ||
           fit(op, loops.all, element, core::rules::kCacheBytes[3]);
  };
  SmallVector<RowLoops> ways;
  if (llvm::any_of(outputLoops(op),
                   [&](unsigned loop) { return modes.isFunctionOfDim(loop); }))
    ways.push_back(withRows(op, modes, std::nullopt, keepsDense));
  else
    for (unsigned loop : candidates)
      ways.push_back(withRows(op, modes, loop, keepsDense));
  for (const RowLoops &loops : ways)
    if (loops.added.empty() || isBounded(loops))
      return loops;
  // A mode of unknown length is most likely shorter than the nonzeros are many.
  auto isVector = [&](const RowLoops &loops) {
    return loops.all.size() == 1 &&
           ShapedType::isDynamic(op.getStaticLoopRanges()[loops.all.front()]);
  };
  for (const RowLoops &loops : ways)
    if (isVector(loops) || (onGPU && fitNarrow(op, loops.all)))
      return loops;
  return std::nullopt;
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
    Value sum = combiner.clone(b, elements.front(), elements.back());
    // In any order, as rows are summed up: LLVM adds vectors then.
    if (auto math = sum.getDefiningOp<arith::ArithFastMathInterface>())
      math->setAttr(math.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(
                        b.getContext(), arith::FastMathFlags::reassoc));
    linalg::YieldOp::create(b, loc, sum);
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

/// A dense dimension is summed over.
static bool sumsDense(linalg::GenericOp op) {
  const AffineMap modes = op.getMatchingIndexingMap(sparseInput(op));
  const AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::any_of(llvm::seq(0u, op.getNumLoops()), [&](unsigned loop) {
    return !modes.isFunctionOfDim(loop) && !output.isFunctionOfDim(loop);
  });
}

RowSums::RowSums(linalg::LinalgOp op, bool onGPU, bool keepsDense)
    : StandIn(op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!isPlain(generic))
    return;
  const BodyCombiner combiner = BodyCombiner::of(generic);
  if (!combiner || !combiner.neutral() || !sparseLevels(generic))
    return;
  Value output = op.getDpsInits()[0];
  if (keepsDense &&
      (!sumsDense(generic) || isa<ComplexType>(getElementTypeOrSelf(output))))
    return;
  const bool rounds = combiner.rounds();
  const Type element =
      rounds ? rewriter.getF32Type() : getElementTypeOrSelf(output);
  std::optional<RowLoops> loops = rowLoops(generic, element, onGPU, keepsDense);
  large = !loops;
  if (!loops)
    return;
  // Sums that would be halves are rounded once, if nothing is added up later.
  const bool areWhole = loops->added.empty();
  if (areWhole && !(keepsDense && rounds))
    return;
  byRows = sumByRows(rewriter, generic, *loops,
                     filled(rewriter, generic, combiner, loops->all, element));
  if (rounds)
    BodyCombiner::of(byRows).widen(
        rewriter, byRows.getBody()->getArguments().back(), element);
  result = byRows.getResult(0);
  if (!areWhole) {
    Value into = rounds ? filled(rewriter, generic, combiner,
                                 outputLoops(generic), element)
                        : output;
    result = reduceRows(rewriter, combiner, result, *loops, into);
  }
  if (rounds)
    result = roundInto(rewriter, combiner, result, output);
}

} // namespace astfe
