//===- EvaluateShapes.cpp - other shapes of tensors, interpreted ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Evaluator.h"

using namespace mlir;
using namespace astfe;

LogicalResult Evaluator::reshape(Operation *op, Value from,
                                 ArrayRef<int64_t> shape) {
  std::shared_ptr<DenseArray> array = dense(from);
  if (!array || volume(shape) != volume(array->shape))
    return op->emitOpError("expected an operand of as many elements");
  auto result = std::make_shared<DenseArray>(*array);
  result->shape = shape.vec();
  cells[op->getResult(0)] = {result, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateCollapse(tensor::CollapseShapeOp op) {
  std::shared_ptr<DenseArray> from = dense(op.getSrc());
  if (!from)
    return op.emitOpError("expected operands that are known");
  SmallVector<int64_t> shape;
  for (ArrayRef<int64_t> run : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t place : run)
      shape.back() *= from->shape[size_t(place)];
  }
  return reshape(op, op.getSrc(), shape);
}

LogicalResult Evaluator::evaluateExpand(tensor::ExpandShapeOp op) {
  auto shape = integers(op, op.getMixedOutputShape());
  return failed(shape) ? LogicalResult(failure())
                       : reshape(op, op.getSrc(), *shape);
}

LogicalResult Evaluator::evaluatePad(tensor::PadOp op) {
  std::shared_ptr<DenseArray> from = dense(op.getSource());
  auto low = integers(op, op.getMixedLowPad());
  auto high = integers(op, op.getMixedHighPad());
  if (!from || failed(low) || failed(high))
    return op.emitOpError("expected operands that are known");
  SmallVector<int64_t> shape;
  for (auto [k, extent] : llvm::enumerate(from->shape))
    shape.push_back((*low)[k] + extent + (*high)[k]);
  std::shared_ptr<DenseArray> result = zeros(shape);
  makeExact(*result, getElementTypeOrSelf(op.getType()));
  Block &body = op.getRegion().front();
  for (size_t i = 0; i < result->values.size(); ++i) {
    int64_t rest = int64_t(i), place = 0, stride = 1;
    bool isInside = true;
    for (size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
      const int64_t at = rest % shape[k], inside = at - (*low)[k];
      cells[body.getArgument(unsigned(k))] = {
          scalarArray({double(at), double(at)}), nullptr};
      isInside &= inside >= 0 && inside < from->shape[k];
      place += inside * stride;
      stride *= from->shape[k];
    }
    if (isInside) {
      setElement(*result, i, element(*from, size_t(place)));
      continue;
    }
    if (failed(evaluateBlock(body)))
      return failure();
    std::optional<Number> number = scalar(body.getTerminator()->getOperand(0));
    if (!number)
      return op.emitOpError("expected a padding that is known");
    setElement(*result, i, *number);
  }
  cells[op.getResult()] = {result, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateConcatenate(sparse_tensor::ConcatenateOp op) {
  auto result = std::make_shared<SparseArray>();
  const auto along = size_t(op.getDimension());
  for (Value input : op.getInputs()) {
    std::shared_ptr<SparseArray> part = sparse(input);
    if (!part)
      return op.emitOpError("expected operands that are known");
    if (!part->integers.empty() || !part->imaginaries.empty())
      return op.emitOpError("expected floats, or integers of 32 bits at most");
    const int64_t before = result->shape.empty() ? 0 : result->shape[along];
    result->shape = part->shape;
    result->shape[along] += before;
    result->coordinates.resize(part->shape.size());
    for (auto [mode, list] : llvm::enumerate(part->coordinates))
      for (int64_t at : list)
        result->coordinates[mode].push_back(at + (mode == along ? before : 0));
    llvm::append_range(result->values, part->values);
    llvm::append_range(result->magnitudes, part->magnitudes);
  }
  cells[op.getResult()] = {nullptr, result};
  return success();
}
