//===- Interpreter.cpp - what a function means, in float64 ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/Interpreter.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "Arrays.h"
#include "LoopNest.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace astfe;

namespace {
/// What an SSA value holds: at most one of the two. Neither where the value
/// only steers execution (profiles, graphs).
struct Cell {
  std::shared_ptr<DenseArray> dense;
  std::shared_ptr<SparseArray> sparse;
};

class Evaluator {
public:
  FailureOr<SmallVector<Cell>> call(func::FuncOp function,
                                    ArrayRef<Cell> arguments);

private:
  LogicalResult evaluate(Operation *op);
  LogicalResult evaluateCompute(ComputeOp op);
  /// Inputs and outputs, bound to the loops of `nest`.
  FailureOr<SmallVector<std::shared_ptr<DenseArray>>>
  bindCompute(ComputeOp op, const SparseArray &pattern, LoopNest &nest);
  LogicalResult evaluateLinalg(linalg::LinalgOp op);
  LogicalResult evaluateCall(func::CallOp op);
  LogicalResult evaluateConstant(arith::ConstantOp op);
  LogicalResult evaluateValues(ValuesOp op);
  LogicalResult evaluateUnpack(UnpackOp op);
  LogicalResult evaluateScalar(Operation *op);
  LogicalResult evaluateDim(Operation *op, Value source, Value index);
  LogicalResult allocate(Operation *op, ShapedType type, ValueRange sizes);
  LogicalResult passThrough(Operation *op);

  std::shared_ptr<DenseArray> dense(Value value);
  std::shared_ptr<SparseArray> sparse(Value value);
  std::optional<Number> scalar(Value value);
  /// The array that an op writes for an output: a tensor's copy, or the buffer.
  std::shared_ptr<DenseArray> destination(Value value);

  llvm::DenseMap<Value, Cell> cells;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

std::shared_ptr<DenseArray> Evaluator::dense(Value value) {
  Cell &cell = cells[value];
  if (!cell.dense && cell.sparse)
    return densify(*cell.sparse);
  return cell.dense;
}

std::shared_ptr<SparseArray> Evaluator::sparse(Value value) {
  Cell &cell = cells[value];
  if (!cell.sparse && cell.dense)
    cell.sparse = sparsify(*cell.dense);
  return cell.sparse;
}

std::optional<Number> Evaluator::scalar(Value value) {
  std::shared_ptr<DenseArray> array = dense(value);
  if (!array && value.getDefiningOp<arith::ConstantOp>() &&
      succeeded(evaluate(value.getDefiningOp())))
    array = dense(value);
  if (!array || !array->shape.empty())
    return std::nullopt;
  return Number{array->values.front(), array->magnitudes.front()};
}

std::shared_ptr<DenseArray> Evaluator::destination(Value value) {
  std::shared_ptr<DenseArray> array = dense(value);
  if (!array || isa<MemRefType>(value.getType()))
    return array;
  return std::make_shared<DenseArray>(*array);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<ScalarFunction>> combinersOf(ComputeOp op) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  SmallVector<ScalarFunction> combiners;
  for (unsigned i = 0; i < op.getOutputs().size(); ++i) {
    std::optional<ScalarFunction> function = combiner(yield.getKind(i));
    if (!function)
      return yield.emitOpError("expected a combiner the interpreter knows");
    combiners.push_back(*function);
  }
  return combiners;
}

/// Calls `body` at each iteration (n, i1..iD, dense...) of a pattern.
static void forEachNonzero(const LoopNest &nest, const SparseArray &pattern,
                           std::vector<int64_t> &index,
                           llvm::function_ref<void()> body) {
  unsigned rank = unsigned(pattern.shape.size());
  for (int64_t n = 0; n < nest.extent(0); ++n) {
    index[0] = n;
    for (unsigned k = 0; k < rank; ++k)
      index[1 + k] = pattern.coordinates[k][size_t(n)];
    nest.forEach(1 + rank, index, body);
  }
}

FailureOr<SmallVector<std::shared_ptr<DenseArray>>>
Evaluator::bindCompute(ComputeOp op, const SparseArray &pattern,
                       LoopNest &nest) {
  if (failed(nest.setExtent(0, int64_t(pattern.values.size()))))
    return failure();
  for (auto [k, extent] : llvm::enumerate(pattern.shape))
    if (failed(nest.setExtent(1 + k, extent)))
      return failure();
  SmallVector<std::shared_ptr<DenseArray>> arrays;
  for (Value input : op.getInputs())
    arrays.push_back(dense(input));
  for (Value output : op.getOutputs())
    arrays.push_back(destination(output));
  for (auto [map, array] : llvm::zip_equal(op.getMapArray(), arrays))
    if (failed(nest.bind(map, *array)))
      return failure();
  if (failed(nest.check()))
    return failure();
  return arrays;
}

static double asDouble(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  IntegerAttr number = cast<IntegerAttr>(attribute);
  return number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                       : number.getValue().getSExtValue();
}

/// Outputs that are overwritten hold the combiner's identity first.
static void clearOverwritten(ComputeOp op,
                             ArrayRef<std::shared_ptr<DenseArray>> outputs) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!op.getOverwrite())
      return;
    double identity = asDouble(yield.getIdentity(i));
    llvm::fill(output->values, identity);
    llvm::fill(output->magnitudes, std::fabs(identity));
  }
}

LogicalResult Evaluator::evaluateCompute(ComputeOp op) {
  std::shared_ptr<SparseArray> pattern = sparse(op.getPattern());
  if (!pattern)
    return op.emitOpError("expected a pattern that was packed");
  LoopNest nest(op, op.getIterationRank());
  auto arrays = bindCompute(op, *pattern, nest);
  FailureOr<SmallVector<ScalarFunction>> combiners = combinersOf(op);
  auto program = ScalarProgram::compile(
      op.getBody().front(), [&](Value value) { return scalar(value); });
  if (failed(arrays) || failed(combiners) || failed(program))
    return failure();

  unsigned inputs = op.getInputs().size();
  clearOverwritten(op, ArrayRef(*arrays).drop_front(inputs));
  std::vector<int64_t> index(op.getIterationRank());
  forEachNonzero(nest, *pattern, index, [&] {
    for (unsigned i = 0; i < inputs; ++i)
      program->argument(i) = nest.load(i, index);
    program->run();
    for (auto [i, combine] : llvm::enumerate(*combiners))
      nest.store(inputs + i, index,
                 combine(nest.load(inputs + i, index), program->yielded(i)));
  });
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    cells[result] = {(*arrays)[inputs + i], nullptr};
  return success();
}

LogicalResult Evaluator::evaluateLinalg(linalg::LinalgOp op) {
  LoopNest nest(op, op.getNumLoops());
  SmallVector<std::shared_ptr<DenseArray>> arrays;
  for (OpOperand &operand : op->getOpOperands()) {
    bool init = op.isDpsInit(&operand);
    arrays.push_back(init ? destination(operand.get()) : dense(operand.get()));
    if (!arrays.back())
      return op.emitOpError("expected operands that are known");
    if (failed(nest.bind(op.getMatchingIndexingMap(&operand), *arrays.back())))
      return failure();
  }
  auto program = ScalarProgram::compile(
      *op.getBlock(), [&](Value value) { return scalar(value); });
  if (failed(program) || failed(nest.check()))
    return failure();
  unsigned inputs = op.getNumDpsInputs();
  program->index.resize(op.getNumLoops());
  nest.forEach(0, program->index, [&] {
    for (unsigned i = 0; i < arrays.size(); ++i)
      program->argument(i) = nest.load(i, program->index);
    program->run();
    for (unsigned i = inputs; i < arrays.size(); ++i)
      nest.store(i, program->index, program->yielded(i - inputs));
  });
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    cells[result] = {arrays[inputs + i], nullptr};
  return success();
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateConstant(arith::ConstantOp op) {
  if (isa<FloatAttr, IntegerAttr>(op.getValue())) {
    double value = asDouble(op.getValue());
    cells[op] = {scalarArray({value, std::fabs(value)}), nullptr};
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.getElementType().isIntOrFloat())
    return op.emitOpError("expected a dense constant of integers or floats");
  std::shared_ptr<DenseArray> array = zeros(elements.getType().getShape());
  for (auto [i, element] : llvm::enumerate(elements.getValues<Attribute>()))
    array->values[i] = asDouble(element);
  array->magnitudes = absolute(array->values);
  cells[op] = {array, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateValues(ValuesOp op) {
  std::shared_ptr<SparseArray> from = sparse(op.getTensor());
  auto array = std::make_shared<DenseArray>(DenseArray{
      {int64_t(from->values.size())}, from->values, from->magnitudes});
  cells[op.getResult()] = {array, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateUnpack(UnpackOp op) {
  auto result = std::make_shared<SparseArray>(*sparse(op.getTensor()));
  std::shared_ptr<DenseArray> values = dense(op.getValues());
  if (values->values.size() != result->values.size())
    return op.emitOpError("expected ")
           << result->values.size() << " values but got "
           << values->values.size();
  result->values = values->values;
  result->magnitudes = values->magnitudes;
  cells[op.getResult()] = {nullptr, result};
  return success();
}

LogicalResult Evaluator::evaluateScalar(Operation *op) {
  std::optional<ScalarFunction> function = scalarFunction(op);
  if (!function || op->getNumOperands() > 3)
    return op->emitOpError("expected an op that the interpreter knows");
  Number operands[3];
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<Number> number = scalar(operand);
    if (!number)
      return op->emitOpError("expected scalar operands that are known");
    operands[i] = *number;
  }
  cells[op->getResult(0)] = {
      scalarArray((*function)(operands[0], operands[1], operands[2])), nullptr};
  return success();
}

LogicalResult Evaluator::evaluateDim(Operation *op, Value source, Value index) {
  std::optional<Number> dimension = scalar(index);
  Cell &cell = cells[source];
  if (!dimension || (!cell.dense && !cell.sparse))
    return op->emitOpError("expected operands that are known");
  ArrayRef<int64_t> shape = cell.dense ? cell.dense->shape : cell.sparse->shape;
  if (dimension->value < 0 || dimension->value >= double(shape.size()))
    return op->emitOpError("expected a dimension below ")
           << shape.size() << " but got " << int64_t(dimension->value);
  double extent = double(shape[size_t(dimension->value)]);
  cells[op->getResult(0)] = {scalarArray({extent, extent}), nullptr};
  return success();
}

LogicalResult Evaluator::allocate(Operation *op, ShapedType type,
                                  ValueRange sizes) {
  std::vector<int64_t> shape = type.getShape().vec();
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    std::optional<Number> size = scalar(sizes.front());
    if (!size)
      return op->emitOpError("expected sizes that are known");
    extent = int64_t(size->value);
    sizes = sizes.drop_front();
  }
  cells[op->getResult(0)] = {zeros(shape), nullptr};
  return success();
}

LogicalResult Evaluator::passThrough(Operation *op) {
  Cell source = cells[op->getOperand(0)];
  cells[op->getResult(0)] = source;
  return success();
}

LogicalResult Evaluator::evaluateCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return op.emitOpError("expected a function with a body");
  SmallVector<Cell> arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(cells[operand]);
  FailureOr<SmallVector<Cell>> results = Evaluator().call(callee, arguments);
  if (failed(results))
    return failure();
  for (auto [value, cell] : llvm::zip_equal(op.getResults(), *results))
    cells[value] = cell;
  return success();
}

LogicalResult Evaluator::evaluate(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ComputeOp op) { return evaluateCompute(op); })
      .Case([&](linalg::LinalgOp op) { return evaluateLinalg(op); })
      .Case([&](ValuesOp op) { return evaluateValues(op); })
      .Case([&](UnpackOp op) { return evaluateUnpack(op); })
      .Case([&](arith::ConstantOp op) { return evaluateConstant(op); })
      .Case([&](func::CallOp op) { return evaluateCall(op); })
      .Case<ProfileOp, PartitionOp, RefineOp, FuseOp, GraphOp>(
          [](auto) { return success(); })
      .Case<tensor::DimOp, memref::DimOp>([&](auto op) {
        return evaluateDim(op, op.getSource(), op.getIndex());
      })
      .Case<tensor::EmptyOp, memref::AllocOp>([&](auto op) {
        return allocate(op, op.getType(), op.getDynamicSizes());
      })
      .Case<PackOp, tensor::CastOp, memref::CastOp, sparse_tensor::ConvertOp>(
          [&](auto op) { return passThrough(op); })
      .Default([&](Operation *op) { return evaluateScalar(op); });
}

FailureOr<SmallVector<Cell>> Evaluator::call(func::FuncOp function,
                                             ArrayRef<Cell> arguments) {
  Block &body = function.front();
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("expected one block");
  for (auto [value, cell] : llvm::zip_equal(body.getArguments(), arguments))
    cells[value] = cell;
  for (Operation &op : body.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  SmallVector<Cell> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(cells[value]);
  return results;
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

static LogicalResult checkShape(func::FuncOp function, unsigned number,
                                ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> expected;
  if (auto shaped =
          dyn_cast<ShapedType>(function.getArgument(number).getType()))
    expected = shaped.getShape();
  if (failed(verifyCompatibleShape(expected, shape)))
    return function.emitOpError("expected argument ")
           << number << " to fit " << function.getArgument(number).getType()
           << " but got the shape [" << shape << "]";
  return success();
}

static FailureOr<Cell> readArgument(func::FuncOp function, unsigned number,
                                    DenseArray array) {
  if (failed(checkShape(function, number, array.shape)))
    return failure();
  if (volume(array.shape) != int64_t(array.values.size()))
    return function.emitOpError("expected argument ")
           << number << " to have " << volume(array.shape) << " values but got "
           << array.values.size();
  if (array.magnitudes.empty())
    array.magnitudes = absolute(array.values);
  return Cell{std::make_shared<DenseArray>(std::move(array)), nullptr};
}

static FailureOr<Cell> readArgument(func::FuncOp function, unsigned number,
                                    SparseArray array) {
  if (failed(checkShape(function, number, array.shape)))
    return failure();
  if (array.coordinates.size() != array.shape.size())
    return function.emitOpError("expected argument ")
           << number << " to have " << array.shape.size()
           << " lists of coordinates but got " << array.coordinates.size();
  for (auto [extent, list] : llvm::zip(array.shape, array.coordinates)) {
    if (list.size() != array.values.size())
      return function.emitOpError("expected argument ")
             << number << " to have " << array.values.size()
             << " coordinates but got " << list.size();
    for (int64_t at : list)
      if (at < 0 || at >= extent)
        return function.emitOpError("expected argument ")
               << number << " to have coordinates below " << extent
               << " but got " << at;
  }
  if (array.magnitudes.empty())
    array.magnitudes = absolute(array.values);
  return Cell{nullptr, std::make_shared<SparseArray>(std::move(array))};
}

static InterpreterValue toValue(const Cell &cell) {
  if (cell.dense)
    return *cell.dense;
  return cell.sparse ? *cell.sparse : SparseArray();
}

FailureOr<Interpretation>
astfe::interpret(func::FuncOp function, ArrayRef<InterpreterValue> arguments) {
  if (function.isExternal())
    return function.emitOpError("expected a body");
  if (arguments.size() != function.getNumArguments())
    return function.emitOpError("expected ")
           << function.getNumArguments() << " arguments but got "
           << arguments.size();
  SmallVector<Cell> cells;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    FailureOr<Cell> cell = std::visit(
        [&, i = i](const auto &array) {
          return readArgument(function, i, array);
        },
        argument);
    if (failed(cell))
      return failure();
    cells.push_back(*cell);
  }
  FailureOr<SmallVector<Cell>> results = Evaluator().call(function, cells);
  if (failed(results))
    return failure();
  Interpretation interpretation;
  for (const Cell &cell : *results)
    interpretation.results.push_back(toValue(cell));
  for (const Cell &cell : cells)
    interpretation.arguments.push_back(toValue(cell));
  return interpretation;
}
