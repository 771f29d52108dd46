//===- EvaluateControl.cpp - loops and branches, interpreted --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Evaluator.h"

using namespace mlir;
using namespace astfe;

SmallVector<Cell> Evaluator::cellsOf(ValueRange values) {
  SmallVector<Cell> result;
  for (Value value : values)
    result.push_back(cells[value]);
  return result;
}

void Evaluator::assign(ValueRange values, ArrayRef<Cell> from) {
  for (auto [value, cell] : llvm::zip_equal(values, from))
    cells[value] = cell;
}

LogicalResult Evaluator::evaluateBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  return success();
}

FailureOr<SmallVector<int64_t>>
Evaluator::integers(Operation *op, ArrayRef<OpFoldResult> values) {
  SmallVector<int64_t> result;
  for (OpFoldResult value : values) {
    if (auto constant = getConstantIntValue(value)) {
      result.push_back(*constant);
      continue;
    }
    std::optional<Number> number = scalar(cast<Value>(value));
    if (!number)
      return op->emitOpError("expected integers that are known");
    result.push_back(int64_t(number->value));
  }
  return result;
}

LogicalResult Evaluator::evaluateFor(scf::ForOp op) {
  auto bounds = integers(op, {OpFoldResult(op.getLowerBound()),
                              OpFoldResult(op.getUpperBound()),
                              OpFoldResult(op.getStep())});
  if (failed(bounds))
    return failure();
  if ((*bounds)[2] <= 0)
    return op.emitOpError("expected a positive step but got ") << (*bounds)[2];
  SmallVector<Cell> carried = cellsOf(op.getInitArgs());
  for (int64_t i = (*bounds)[0]; i < (*bounds)[1]; i += (*bounds)[2]) {
    cells[op.getInductionVar()] = {
        scalarArray({double(i), std::abs(double(i))}), nullptr};
    assign(op.getRegionIterArgs(), carried);
    if (failed(evaluateBlock(*op.getBody())))
      return failure();
    carried = cellsOf(op.getBody()->getTerminator()->getOperands());
  }
  assign(op.getResults(), carried);
  return success();
}

LogicalResult Evaluator::evaluateWhile(scf::WhileOp op) {
  SmallVector<Cell> carried = cellsOf(op.getInits());
  while (true) {
    assign(op.getBeforeArguments(), carried);
    if (failed(evaluateBlock(*op.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = op.getConditionOp();
    std::optional<Number> goesOn = scalar(condition.getCondition());
    if (!goesOn)
      return condition.emitOpError("expected a condition that is known");
    carried = cellsOf(condition.getArgs());
    if (goesOn->value == 0)
      break;
    assign(op.getAfterArguments(), carried);
    if (failed(evaluateBlock(*op.getAfterBody())))
      return failure();
    carried = cellsOf(op.getYieldOp().getOperands());
  }
  assign(op.getResults(), carried);
  return success();
}

LogicalResult Evaluator::evaluateIf(scf::IfOp op) {
  std::optional<Number> condition = scalar(op.getCondition());
  if (!condition)
    return op.emitOpError("expected a condition that is known");
  Block *taken = condition->value != 0 ? op.thenBlock() : op.elseBlock();
  return taken ? evaluateBranch(op, *taken) : success();
}

LogicalResult Evaluator::evaluateSwitch(scf::IndexSwitchOp op) {
  std::optional<Number> argument = scalar(op.getArg());
  if (!argument)
    return op.emitOpError("expected an argument that is known");
  ArrayRef<int64_t> cases = op.getCases();
  const auto *found = llvm::find(cases, int64_t(argument->value));
  return evaluateBranch(op, found == cases.end()
                                ? op.getDefaultBlock()
                                : op.getCaseBlock(found - cases.begin()));
}

LogicalResult Evaluator::evaluateBranch(Operation *op, Block &taken) {
  if (failed(evaluateBlock(taken)))
    return failure();
  assign(op->getResults(), cellsOf(taken.getTerminator()->getOperands()));
  return success();
}

/// Calls `body` at each point of a box with strides, the last mode fastest.
static LogicalResult
forEachPoint(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
             ArrayRef<int64_t> step,
             llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> point(from);
  for (auto [begin, end] : llvm::zip(from, to))
    if (begin >= end)
      return success();
  while (true) {
    if (failed(body(point)))
      return failure();
    size_t k = point.size();
    while (k > 0 && (point[k - 1] += step[k - 1]) >= to[k - 1]) {
      point[k - 1] = from[k - 1];
      --k;
    }
    if (k == 0)
      return success();
  }
}

LogicalResult Evaluator::evaluateForall(scf::ForallOp op) {
  auto from = integers(op, op.getMixedLowerBound());
  auto to = integers(op, op.getMixedUpperBound());
  auto step = integers(op, op.getMixedStep());
  if (failed(from) || failed(to) || failed(step))
    return failure();
  // Each iteration sees what the outputs held before the loop.
  assign(op.getRegionIterArgs(), cellsOf(op.getOutputs()));
  DenseMap<Value, std::shared_ptr<DenseArray>> written;
  for (auto [argument, output] :
       llvm::zip(op.getRegionIterArgs(), op.getOutputs()))
    written[argument] = destination(output);
  auto body = [&](ArrayRef<int64_t> point) -> LogicalResult {
    for (auto [variable, at] : llvm::zip(op.getInductionVars(), point))
      cells[variable] = {scalarArray({double(at), double(at)}), nullptr};
    if (failed(evaluateBlock(*op.getBody())))
      return failure();
    for (Operation &yielding : op.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(yielding);
      if (!insert)
        return yielding.emitOpError("expected an op that the interpreter "
                                    "knows");
      if (failed(insertSlice(insert, insert.getSource(),
                             *written[insert.getDest()])))
        return failure();
    }
    return success();
  };
  if (failed(forEachPoint(*from, *to, *step, body)))
    return failure();
  for (auto [argument, result] :
       llvm::zip(op.getRegionIterArgs(), op.getResults()))
    cells[result] = {written[argument], nullptr};
  return success();
}

/// Over what is stored, in the order of the list: sums alone see which one.
LogicalResult Evaluator::evaluateForeach(sparse_tensor::ForeachOp op) {
  const Cell source = cells[op.getTensor()];
  if (!source.sparse || source.dense)
    return op.emitOpError("expected a tensor whose stored values are known");
  if (llvm::any_of(op.getResultTypes(), [](Type type) {
        return bool(sparse_tensor::getSparseTensorEncoding(type));
      }))
    return op.emitOpError("expected no sparse tensors to insert into");
  const SparseArray &array = *source.sparse;
  const DenseArray values{{int64_t(array.values.size())},
                          array.values,
                          array.magnitudes,
                          array.integers,
                          array.imaginaries};
  Block &body = op.getRegion().front();
  const size_t rank = array.shape.size();
  SmallVector<Cell> carried = cellsOf(op.getInitArgs());
  for (size_t n = 0; n < array.values.size(); ++n) {
    for (size_t k = 0; k < rank; ++k) {
      const auto at = double(array.coordinates[k][n]);
      cells[body.getArgument(unsigned(k))] = {scalarArray({at, at}), nullptr};
    }
    cells[body.getArgument(unsigned(rank))] = {scalarArray(element(values, n)),
                                               nullptr};
    assign(body.getArguments().drop_front(rank + 1), carried);
    if (failed(evaluateBlock(body)))
      return failure();
    carried = cellsOf(body.getTerminator()->getOperands());
  }
  assign(op.getResults(), carried);
  return success();
}

//===----------------------------------------------------------------------===//
// Slices and elements
//===----------------------------------------------------------------------===//

/// Calls `body` with the place of each element of a slice, in row-major order.
LogicalResult Evaluator::forEachOfSlice(OffsetSizeAndStrideOpInterface op,
                                        const DenseArray &array,
                                        llvm::function_ref<void(size_t)> body) {
  auto offsets = integers(op, op.getMixedOffsets());
  auto sizes = integers(op, op.getMixedSizes());
  auto strides = integers(op, op.getMixedStrides());
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  SmallVector<int64_t> zeros(sizes->size(), 0), ones(sizes->size(), 1);
  return forEachPoint(zeros, *sizes, ones, [&](ArrayRef<int64_t> point) {
    int64_t place = 0;
    for (auto [k, at] : llvm::enumerate(point)) {
      const int64_t index = (*offsets)[k] + at * (*strides)[k];
      if (index < 0 || index >= array.shape[k])
        return LogicalResult(op->emitOpError("expected indices below ")
                             << array.shape[k] << " but got " << index);
      place = place * array.shape[k] + index;
    }
    body(size_t(place));
    return success();
  });
}

LogicalResult Evaluator::insertSlice(OffsetSizeAndStrideOpInterface op,
                                     Value source, DenseArray &into) {
  std::shared_ptr<DenseArray> from = dense(source);
  if (!from)
    return op->emitOpError("expected operands that are known");
  size_t next = 0;
  LogicalResult result = forEachOfSlice(op, into, [&](size_t place) {
    if (next < from->values.size())
      setElement(into, place, element(*from, next));
    ++next;
  });
  if (succeeded(result) && next != from->values.size())
    return op->emitOpError("expected a source of ")
           << next << " elements but got " << from->values.size();
  return result;
}

LogicalResult Evaluator::evaluateInsertSlice(tensor::InsertSliceOp op) {
  std::shared_ptr<DenseArray> array = destination(op.getDest());
  if (!array)
    return op.emitOpError("expected operands that are known");
  cells[op.getResult()] = {array, nullptr};
  return insertSlice(op, op.getSource(), *array);
}

LogicalResult Evaluator::evaluateExtractSlice(tensor::ExtractSliceOp op) {
  std::shared_ptr<DenseArray> from = dense(op.getSource());
  auto sizes = integers(op, op.getMixedSizes());
  if (!from || failed(sizes))
    return op.emitOpError("expected operands that are known");
  auto result = std::make_shared<DenseArray>();
  const llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [k, size] : llvm::enumerate(*sizes))
    if (!dropped.test(k))
      result->shape.push_back(size);
  cells[op.getResult()] = {result, nullptr};
  return forEachOfSlice(op, *from, [&](size_t place) {
    result->values.push_back(from->values[place]);
    result->magnitudes.push_back(from->magnitudes[place]);
    if (!from->imaginaries.empty())
      result->imaginaries.push_back(from->imaginaries[place]);
    if (!from->integers.empty())
      result->integers.push_back(from->integers[place]);
  });
}

/// The place of an element, checked.
static FailureOr<size_t> placeOf(Operation *op, const DenseArray &array,
                                 ArrayRef<int64_t> indices) {
  int64_t place = 0;
  for (auto [extent, index] : llvm::zip_equal(array.shape, indices)) {
    if (index < 0 || index >= extent)
      return op->emitOpError("expected indices below ")
             << extent << " but got " << index;
    place = place * extent + index;
  }
  return size_t(place);
}

LogicalResult Evaluator::evaluateRead(Operation *op, Value from,
                                      ValueRange at) {
  std::shared_ptr<DenseArray> array = dense(from);
  auto indices = integers(op, getAsOpFoldResult(at));
  if (!array || failed(indices))
    return op->emitOpError("expected operands that are known");
  FailureOr<size_t> place = placeOf(op, *array, *indices);
  if (failed(place))
    return failure();
  cells[op->getResult(0)] = {scalarArray(element(*array, *place)), nullptr};
  return success();
}

LogicalResult Evaluator::evaluateWrite(Operation *op, Value number, Value into,
                                       ValueRange at) {
  std::shared_ptr<DenseArray> array = destination(into);
  std::optional<Number> written = scalar(number);
  auto indices = integers(op, getAsOpFoldResult(at));
  if (!array || !written || failed(indices))
    return op->emitOpError("expected operands that are known");
  FailureOr<size_t> place = placeOf(op, *array, *indices);
  if (failed(place))
    return failure();
  setElement(*array, *place, *written);
  for (Value result : op->getResults())
    cells[result] = {array, nullptr};
  return success();
}
