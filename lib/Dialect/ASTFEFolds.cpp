//===- ASTFEFolds.cpp - folders and shapes --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every fold takes constant time: no folder runs an algorithm on a graph, that
// is the passes' business.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Dialect/BufferFate.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace astfe;

/// The tensor whose pattern `tensor` has: unpack changes values only. Null for
/// one that is released at some time, perhaps before `tensor` is read, or that
/// a function gets, which may release it.
static Value patternSource(Value tensor) {
  auto unpack = tensor.getDefiningOp<UnpackOp>();
  if (!unpack ||
      llvm::any_of(
          unpack.getTensor().getUsers(),
          llvm::IsaPred<bufferization::DeallocTensorOp, CallOpInterface>))
    return {};
  return unpack.getTensor();
}

OpFoldResult ProfileOp::fold(FoldAdaptor) {
  Value source = patternSource(getTensor());
  if (!source)
    return {};
  getTensorMutable().assign(source);
  return getResult();
}

OpFoldResult PackOp::fold(FoldAdaptor) {
  Value source = patternSource(getTensor());
  if (!source)
    return {};
  getTensorMutable().assign(source);
  return getResult();
}

OpFoldResult RefineOp::fold(FoldAdaptor) {
  return getSteps() == 0 ? getGraph() : Value();
}

OpFoldResult GraphOp::fold(FoldAdaptor) { return getValueAttr(); }

OpFoldResult ValuesOp::fold(FoldAdaptor) {
  auto unpack = getTensor().getDefiningOp<UnpackOp>();
  if (unpack && unpack.getPattern() == getPattern() &&
      unpack.getKey() == getKey() && unpack.getValues().getType() == getType())
    return unpack.getValues();
  return {};
}

OpFoldResult UnpackOp::fold(FoldAdaptor) {
  auto values = getValues().getDefiningOp<ValuesOp>();
  if (values && values.getPattern() == getPattern() &&
      values.getKey() == getKey() && values.getTensor() == getTensor())
    return getTensor();
  return {};
}

OpFoldResult UnpackValuesOp::fold(FoldAdaptor) {
  const bool isView = getPattern().getType().getLayout().isView();
  return isView && getValues().getType() == getType() ? getValues() : Value();
}

/// Hands the buffer's readers the vector that is in it.
static void readVector(PatternRewriter &rewriter,
                       sparse_tensor::ToValuesOp stored, Value vector) {
  const bool isRead = fateOf(stored.getResult()) == BufferFate::Read;
  for (Operation *reader : llvm::make_early_inc_range(stored->getUsers()))
    if (isa<bufferization::ToTensorOp>(reader) &&
        reader->getResultTypes().front() == vector.getType())
      rewriter.replaceOp(reader, vector);
  if (stored->use_empty()) {
    rewriter.eraseOp(stored);
    return;
  }
  rewriter.setInsertionPoint(stored);
  rewriter.replaceOpWithNewOp<bufferization::ToBufferOp>(
      stored, cast<MemRefType>(stored.getType()), vector, /*readOnly=*/isRead);
}

namespace {
/// Who reads what an op unpacks.
struct UnpackedReaders {
  SmallVector<sparse_tensor::ToValuesOp> values;
  SmallVector<sparse_tensor::NumberOfEntriesOp> counts;
  SmallVector<tensor::DimOp> sizes;
  SmallVector<Operation *> renamings; ///< dead without the others
  bool hasOthers = false;

  explicit UnpackedReaders(Value tensor, bool isRenamed = false) {
    for (Operation *user : tensor.getUsers())
      add(user, isRenamed);
  }
  void add(Operation *user, bool isRenamed);
  /// Whether nobody sees that the vector is no part of the tensor: it is not
  /// written, and handed out once, and to nobody beside the tensor.
  bool mayBeAlone() const;
};
} // namespace

void UnpackedReaders::add(Operation *user, bool isRenamed) {
  if (auto stored = dyn_cast<sparse_tensor::ToValuesOp>(user)) {
    values.push_back(stored);
  } else if (auto count = dyn_cast<sparse_tensor::NumberOfEntriesOp>(user)) {
    counts.push_back(count);
  } else if (auto size = dyn_cast<tensor::DimOp>(user); size && !isRenamed) {
    sizes.push_back(size);
  } else if (isa<sparse_tensor::ReinterpretMapOp>(user) && !isRenamed) {
    renamings.push_back(user);
    for (Operation *reader : user->getUsers())
      add(reader, /*isRenamed=*/true);
  } else {
    hasOthers = true;
  }
}

bool UnpackedReaders::mayBeAlone() const {
  return llvm::all_of(values, [&](sparse_tensor::ToValuesOp stored) {
    const BufferFate fate = fateOf(stored.getResult());
    return fate == BufferFate::Read ||
           (fate == BufferFate::Returned && values.size() == 1 && !hasOthers);
  });
}

/// Sizes are those of the tensor that the result is like. Whoever reads values
/// reads these, where nobody needs the tensor: of a packed pattern they would
/// be moved twice. Where packing has failed there are no values, and so no
/// entries.
LogicalResult UnpackOp::canonicalize(UnpackOp op, PatternRewriter &rewriter) {
  const bool isView = op.getPattern().getType().getLayout().isView();
  const Value source = patternSource(op.getResult());
  UnpackedReaders readers(op.getResult());
  if ((readers.hasOthers && !isView) || !readers.mayBeAlone())
    return failure();
  SmallVector<Operation *> ofSource(readers.sizes.begin(), readers.sizes.end());
  if (readers.values.empty())
    llvm::append_range(ofSource, readers.counts);
  if (readers.values.empty() && (!source || ofSource.empty()))
    return failure();
  if (source)
    for (Operation *size : ofSource)
      rewriter.modifyOpInPlace(size, [&] { size->setOperand(0, source); });
  if (!readers.values.empty()) {
    auto type = RankedTensorType::get(
        {ShapedType::kDynamic}, getElementTypeOrSelf(op.getResult().getType()));
    Value vector =
        UnpackValuesOp::create(rewriter, op.getLoc(), type, op.getValues(),
                               op.getPattern(), uint64_t(op.getKey()));
    for (sparse_tensor::ToValuesOp stored : readers.values)
      readVector(rewriter, stored, vector);
    for (sparse_tensor::NumberOfEntriesOp count : readers.counts) {
      rewriter.setInsertionPoint(count);
      Value first = arith::ConstantIndexOp::create(rewriter, count.getLoc(), 0);
      rewriter.replaceOpWithNewOp<tensor::DimOp>(count, vector, first);
    }
  }
  for (Operation *renaming : readers.renamings)
    if (renaming->use_empty())
      rewriter.eraseOp(renaming);
  if (op->use_empty())
    rewriter.eraseOp(op);
  return success();
}

LogicalResult ValuesOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  // Tiles filled up with zeros have more slots than nonzeros; how many is known
  // at run time.
  LayoutAttr layout = getPattern().getType().getLayout();
  if (!layout.isView() && layout.getAssumeFinite())
    return failure();
  auto count =
      sparse_tensor::NumberOfEntriesOp::create(builder, getLoc(), getTensor());
  shapes.push_back({count.getResult()});
  return success();
}
