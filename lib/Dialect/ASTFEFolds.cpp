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
