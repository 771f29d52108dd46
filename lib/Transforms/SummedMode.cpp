//===- SummedMode.cpp - sums over one mode as products of a matrix --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SummedMode.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "MergedTensors.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {

static bool isSparse(Value value) {
  return bool(sparse_tensor::getSparseTensorEncoding(value.getType()));
}

namespace {
/// The loops of such a sum.
struct Sum {
  OpOperand *sparse = nullptr;
  SmallVector<unsigned> rows; ///< as the output has them
  unsigned column = 0;

  bool isRow(unsigned loop) const { return llvm::is_contained(rows, loop); }
  /// The mode that a loop is.
  int64_t modeOf(AffineMap map, unsigned loop) const {
    return int64_t(*placeOf(map, loop));
  }
};
} // namespace

/// Where a map has the rows, side by side in their order; none: not so.
static std::optional<unsigned> placeOfRows(AffineMap map, const Sum &sum) {
  auto first = placeOf(map, sum.rows.front());
  if (!first || *first + sum.rows.size() > map.getNumResults())
    return std::nullopt;
  for (auto [i, loop] : llvm::enumerate(sum.rows))
    if (map.getDimPosition(*first + unsigned(i)) != loop)
      return std::nullopt;
  return first;
}

/// The tensor is read where it is packed, each nonzero once, and not in blocks.
static bool isPacked(Value tensor) {
  const sparse_tensor::SparseTensorType type(
      cast<RankedTensorType>(tensor.getType()));
  return storedLevels(type.getEncoding()) &&
         type.getLvlRank() == type.getDimRank() &&
         type.getDimRank() <= core::kMaxRank &&
         type.isUniqueLvl(type.getLvlRank() - 1);
}

/// The matrix has more rows or columns than 32 bits number, as types say.
static bool isFar(AffineMap map, const Sum &sum) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  int64_t rows = 1;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(sum.sparse->get().getType()).getShape();
  const int64_t columns = shape[size_t(sum.modeOf(map, sum.column))];
  if (!ShapedType::isDynamic(columns) && columns >= kMost)
    return true;
  for (unsigned loop : sum.rows) {
    const int64_t extent = shape[size_t(sum.modeOf(map, loop))];
    if (ShapedType::isDynamic(extent))
      return false;
    if (llvm::MulOverflow(rows, extent, rows) || rows >= kMost)
      return true;
  }
  return false;
}

static std::optional<Sum> findSum(linalg::GenericOp op) {
  Sum sum;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isSparse(input->get())) {
      if (sum.sparse)
        return std::nullopt;
      sum.sparse = input;
    }
  OpOperand *output = op.getDpsInitOperand(0);
  if (!sum.sparse || isSparse(output->get()) || !isPacked(sum.sparse->get()))
    return std::nullopt;
  const AffineMap modes = op.getMatchingIndexingMap(sum.sparse);
  AffineMap written = op.getMatchingIndexingMap(output);
  for (unsigned place = 0; place < written.getNumResults(); ++place)
    if (unsigned loop = written.getDimPosition(place); placeOf(modes, loop))
      sum.rows.push_back(loop);
  if (sum.rows.size() < 2 || sum.rows.size() + 1 != modes.getNumResults())
    return std::nullopt;
  for (unsigned place = 0; place < modes.getNumResults(); ++place)
    if (!sum.isRow(modes.getDimPosition(place)))
      sum.column = modes.getDimPosition(place);
  for (OpOperand &operand : op->getOpOperands()) {
    const AffineMap map = op.getMatchingIndexingMap(&operand);
    if (&operand != sum.sparse && !placeOfRows(map, sum) &&
        llvm::any_of(sum.rows,
                     [&](unsigned loop) { return placeOf(map, loop); }))
      return std::nullopt;
  }
  if (isFar(modes, sum))
    return std::nullopt;
  return sum;
}

namespace {
/// Makes the op over the matrix.
class MatrixBuilder {
public:
  MatrixBuilder(RewriterBase &rewriter, linalg::GenericOp op, const Sum &sum)
      : rewriter(rewriter), op(op), sum(sum) {
    // Rows, then the column, then what is dense.
    for (unsigned loop : sum.rows)
      newLoops[loop] = 0;
    newLoops[sum.column] = 1;
    iterators = {utils::IteratorType::parallel, utils::IteratorType::reduction};
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (newLoops.try_emplace(loop, iterators.size()).second)
        iterators.push_back(op.getIteratorTypesArray()[loop]);
  }

  linalg::GenericOp build();
  /// What `result` is with the shape of the output.
  Value expanded(Value result);

private:
  SmallVector<ReassociationIndices> mergedDims(AffineMap map) const;
  AffineMap mergedMap(AffineMap map) const;
  Value merged(OpOperand &operand);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  const Sum &sum;
  llvm::DenseMap<unsigned, unsigned> newLoops;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

SmallVector<ReassociationIndices>
MatrixBuilder::mergedDims(AffineMap map) const {
  SmallVector<ReassociationIndices> dims;
  for (unsigned place = 0; place < map.getNumResults(); ++place) {
    const unsigned loop = map.getDimPosition(place);
    if (sum.isRow(loop) && loop != sum.rows.front())
      dims.back().push_back(place);
    else
      dims.push_back({int64_t(place)});
  }
  return dims;
}

AffineMap MatrixBuilder::mergedMap(AffineMap map) const {
  SmallVector<AffineExpr> results;
  for (unsigned place = 0; place < map.getNumResults(); ++place) {
    const unsigned loop = map.getDimPosition(place);
    if (!sum.isRow(loop) || loop == sum.rows.front())
      results.push_back(rewriter.getAffineDimExpr(newLoops.lookup(loop)));
  }
  return AffineMap::get(unsigned(iterators.size()), 0, results,
                        rewriter.getContext());
}

Value MatrixBuilder::merged(OpOperand &operand) {
  const AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!placeOfRows(map, sum))
    return operand.get();
  Value reshaped = tensor::CollapseShapeOp::create(
      rewriter, op.getLoc(), operand.get(), mergedDims(map));
  Value start = mergeFill(rewriter, reshaped);
  if (start != reshaped)
    rewriter.eraseOp(reshaped.getDefiningOp());
  return start;
}

linalg::GenericOp MatrixBuilder::build() {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (&operand != sum.sparse) {
      operands.push_back(merged(operand));
      maps.push_back(mergedMap(map));
      continue;
    }
    SmallVector<int64_t> rows;
    for (unsigned loop : sum.rows)
      rows.push_back(sum.modeOf(map, loop));
    operands.push_back(MatricizeOp::create(rewriter, op.getLoc(), operand.get(),
                                           rows, sum.modeOf(map, sum.column)));
    maps.push_back(AffineMap::getMultiDimIdentityMap(unsigned(iterators.size()),
                                                     rewriter.getContext())
                       .getMajorSubMap(2));
  }
  auto made = linalg::GenericOp::create(
      rewriter, op.getLoc(), operands.back().getType(),
      ArrayRef(operands).drop_back(), operands.back(), maps, iterators);
  rewriter.cloneRegionBefore(op.getRegion(), made.getRegion(),
                             made.getRegion().end());
  return made;
}

Value MatrixBuilder::expanded(Value result) {
  OpOperand *output = op.getDpsInitOperand(0);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(output->get().getType());
  Value shaped = output->get();
  if (const auto fill = tensorFill(shaped))
    shaped = fill->into;
  Value back = tensor::ExpandShapeOp::create(
      rewriter, loc, type, result,
      mergedDims(op.getMatchingIndexingMap(output)),
      tensor::getMixedSizes(rewriter, loc, shaped));
  return reshapeUnknown(rewriter, back);
}

SummedMode::SummedMode(linalg::LinalgOp op) : StandIn(op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!isPlainGeneric(generic) || !findSum(generic))
    return;
  auto copy = cast<linalg::GenericOp>(rewriter.clone(*op));
  result = copy.getResult(0);
  const Sum loops = *findSum(copy);
  SmallVector<int64_t> rows(loops.rows.begin(), loops.rows.end());
  if (auto guarded = guardExtents(rewriter, copy, rows)) {
    Value output = copy.getDpsInits().front();
    result = guarded->result;
    rewriter.replaceOp(copy, result);
    copy = guarded->inner;
    eraseDead(rewriter, output);
  }
  const Sum sum = *findSum(copy);
  rewriter.setInsertionPoint(copy);
  MatrixBuilder builder(rewriter, copy, sum);
  overMatrix = builder.build();
  for (Value input : overMatrix.getInputs())
    if (auto made = input.getDefiningOp<MatricizeOp>())
      matrix = made;
  Value back = builder.expanded(overMatrix.getResult(0));
  Value output = copy.getDpsInits().front();
  if (result == copy.getResult(0))
    result = back;
  rewriter.replaceOp(copy, back);
  eraseDead(rewriter, output);
}

/// How many rows or columns a tensor as a matrix has.
static Value extentOf(OpBuilder &b, MatricizeOp matrix, bool ofColumns) {
  Location loc = matrix.getLoc();
  auto ofMode = [&](int64_t mode) {
    return b.createOrFold<tensor::DimOp>(loc, matrix.getTensor(), mode);
  };
  if (ofColumns)
    return ofMode(matrix.getColumn());
  Value rows = ofMode(matrix.getRows().front());
  for (int64_t mode : matrix.getRows().drop_front())
    rows = arith::MulIOp::create(b, loc, rows, ofMode(mode));
  return rows;
}

/// The matrix is packed and nothing else: nobody asks it for its extents, which
/// merging dense loops does.
void SummedMode::keep() {
  for (Operation *user : llvm::make_early_inc_range(matrix->getUsers()))
    if (auto dim = dyn_cast<tensor::DimOp>(user)) {
      rewriter.setInsertionPoint(dim);
      rewriter.replaceOp(
          dim, extentOf(rewriter, matrix, *dim.getConstantIndex() == 1));
    }
  StandIn::keep();
}

} // namespace astfe
