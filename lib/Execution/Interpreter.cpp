//===- Interpreter.cpp - what a function means, in float64 ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/Interpreter.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "Arrays.h"
#include "ComplexFunctions.h"
#include "Evaluator.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace astfe;

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
  Operation *maker = value.getDefiningOp();
  if (!array &&
      isa_and_nonnull<arith::ConstantOp, complex::ConstantOp>(maker) &&
      succeeded(evaluate(maker)))
    array = dense(value);
  if (!array || !array->shape.empty())
    return std::nullopt;
  return element(*array, 0);
}

std::shared_ptr<DenseArray> Evaluator::destination(Value value) {
  std::shared_ptr<DenseArray> array = dense(value);
  if (!array || isa<MemRefType>(value.getType()))
    return array;
  return std::make_shared<DenseArray>(*array);
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluateConstant(arith::ConstantOp op) {
  if (isa<FloatAttr, IntegerAttr>(op.getValue())) {
    double value = asDouble(op.getValue());
    Number number{value, std::fabs(value)};
    number.isExact = op.getType().isInteger(64);
    if (number.isExact)
      number.integer = cast<IntegerAttr>(op.getValue()).getInt();
    cells[op] = {scalarArray(number), nullptr};
    return success();
  }
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements || !elements.getElementType().isIntOrFloat())
    return op.emitOpError("expected a constant of integers or floats");
  std::shared_ptr<DenseArray> array =
      zeros(elements.getShapedType().getShape());
  for (auto [i, element] : llvm::enumerate(elements.getValues<Attribute>()))
    array->values[i] = asDouble(element);
  if (elements.getElementType().isInteger(64))
    for (const APInt &integer : elements.getValues<APInt>())
      array->integers.push_back(integer.getSExtValue());
  array->magnitudes = absolute(array->values);
  cells[op] = {array, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateValues(ValuesOp op) {
  std::shared_ptr<SparseArray> from = sparse(op.getTensor());
  auto array =
      std::make_shared<DenseArray>(DenseArray{{int64_t(from->values.size())},
                                              from->values,
                                              from->magnitudes,
                                              from->integers,
                                              from->imaginaries});
  cells[op.getResult()] = {array, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateStored(sparse_tensor::ToValuesOp op) {
  const Cell cell = cells[op.getTensor()];
  if (!cell.sparse || cell.dense)
    return op.emitOpError("expected a tensor whose stored values are known");
  std::string whyNot;
  std::shared_ptr<DenseArray> buffer =
      stored->bufferOf(cell.sparse,
                       sparse_tensor::SparseTensorType(
                           cast<RankedTensorType>(op.getTensor().getType())),
                       whyNot);
  if (!buffer)
    return op.emitOpError(whyNot);
  cells[op.getResult()] = {buffer, nullptr};
  return success();
}

LogicalResult Evaluator::evaluateMatricize(MatricizeOp op) {
  auto result = std::make_shared<SparseArray>(*sparse(op.getTensor()));
  const SparseArray &from = *sparse(op.getTensor());
  std::vector<int64_t> rows(from.values.size(), 0);
  int64_t count = 1;
  for (int64_t mode : op.getRows()) {
    count *= from.shape[size_t(mode)];
    for (auto [row, at] : llvm::zip_equal(rows, from.coordinates[size_t(mode)]))
      row = row * from.shape[size_t(mode)] + at;
  }
  const auto column = size_t(op.getColumn());
  result->shape = {count, from.shape[column]};
  result->coordinates = {std::move(rows), from.coordinates[column]};
  cells[op.getResult()] = {nullptr, result};
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
  result->imaginaries = values->imaginaries;
  result->integers = values->integers;
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
  if (sparse_tensor::getSparseTensorEncoding(type)) {
    auto none = std::make_shared<SparseArray>();
    none->shape = shape;
    none->coordinates.resize(shape.size());
    cells[op->getResult(0)] = {nullptr, none};
    return success();
  }
  cells[op->getResult(0)] = {zeros(shape), nullptr};
  return success();
}

LogicalResult Evaluator::passThrough(Operation *op) {
  Cell source = cells[op->getOperand(0)];
  cells[op->getResult(0)] = source;
  return success();
}

LogicalResult Evaluator::copyThrough(Operation *op) {
  Cell source = cells[op->getOperand(0)];
  if (source.sparse)
    source.sparse = std::make_shared<SparseArray>(*source.sparse);
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
  FailureOr<SmallVector<Cell>> results =
      Evaluator(stored).call(callee, arguments);
  if (failed(results))
    return failure();
  for (auto [value, cell] : llvm::zip_equal(op.getResults(), *results))
    cells[value] = cell;
  return success();
}

LogicalResult Evaluator::evaluate(Operation *op) {
  for (Value operand : op->getOperands())
    if (sparse_tensor::getSparseTensorEncoding(operand.getType()))
      stored->update(cells[operand].sparse.get());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ComputeOp op) { return evaluateCompute(op); })
      .Case([&](FusedOp op) { return evaluateFused(op); })
      .Case([&](LocalOp op) { return evaluateLocal(op); })
      .Case([&](linalg::LinalgOp op) { return evaluateLinalg(op); })
      .Case([&](ValuesOp op) { return evaluateValues(op); })
      .Case([&](UnpackOp op) { return evaluateUnpack(op); })
      .Case([&](MatricizeOp op) { return evaluateMatricize(op); })
      .Case([&](arith::ConstantOp op) { return evaluateConstant(op); })
      .Case([&](complex::ConstantOp op) {
        cells[op] = {scalarArray(complexConstant(op)), nullptr};
        return success();
      })
      .Case([&](func::CallOp op) { return evaluateCall(op); })
      .Case<ProfileOp, PartitionOp, RefineOp, FuseOp, GraphOp>(
          [](auto) { return success(); })
      .Case<tensor::DimOp, memref::DimOp>([&](auto op) {
        return evaluateDim(op, op.getSource(), op.getIndex());
      })
      .Case<tensor::EmptyOp, memref::AllocOp>([&](auto op) {
        return allocate(op, op.getType(), op.getDynamicSizes());
      })
      .Case([&](scf::ForOp op) { return evaluateFor(op); })
      .Case([&](scf::WhileOp op) { return evaluateWhile(op); })
      .Case([&](scf::IfOp op) { return evaluateIf(op); })
      .Case([&](scf::IndexSwitchOp op) { return evaluateSwitch(op); })
      .Case([&](scf::ExecuteRegionOp op) {
        if (!op.getRegion().hasOneBlock())
          return LogicalResult(op.emitOpError("expected one block"));
        return evaluateBranch(op, op.getRegion().front());
      })
      .Case([&](scf::ForallOp op) { return evaluateForall(op); })
      .Case([&](sparse_tensor::ForeachOp op) { return evaluateForeach(op); })
      .Case([&](tensor::CollapseShapeOp op) { return evaluateCollapse(op); })
      .Case([&](tensor::ExpandShapeOp op) { return evaluateExpand(op); })
      .Case([&](tensor::PadOp op) { return evaluatePad(op); })
      .Case([&](sparse_tensor::ConcatenateOp op) {
        return evaluateConcatenate(op);
      })
      .Case([&](tensor::ExtractSliceOp op) { return evaluateExtractSlice(op); })
      .Case([&](tensor::InsertSliceOp op) { return evaluateInsertSlice(op); })
      .Case([&](tensor::ExtractOp op) {
        return evaluateRead(op, op.getTensor(), op.getIndices());
      })
      .Case([&](memref::LoadOp op) {
        return evaluateRead(op, op.getMemRef(), op.getIndices());
      })
      .Case([&](tensor::InsertOp op) {
        return evaluateWrite(op, op.getScalar(), op.getDest(), op.getIndices());
      })
      .Case([&](memref::StoreOp op) {
        return evaluateWrite(op, op.getValue(), op.getMemRef(),
                             op.getIndices());
      })
      .Case([&](sparse_tensor::ToValuesOp op) { return evaluateStored(op); })
      .Case([&](sparse_tensor::ConvertOp op) { return copyThrough(op); })
      .Case([&](bufferization::AllocTensorOp op) {
        if (op.getCopy())
          return copyThrough(op);
        return allocate(op, op.getType(), op.getDynamicSizes());
      })
      .Case([&](bufferization::MaterializeInDestinationOp op) {
        if (op->getNumResults() == 0)
          return LogicalResult(op.emitOpError("expected tensors"));
        return passThrough(op);
      })
      .Case([&](IsStoredOp op) {
        // Nothing is packed here, so that either branch may be taken.
        cells[op.getResult()] = {scalarArray({0, 0}), nullptr};
        return success();
      })
      .Case<PackOp, UnpackValuesOp, tensor::CastOp, memref::CastOp>(
          [&](auto op) { return passThrough(op); })
      .Default([&](Operation *op) { return evaluateScalar(op); });
}

LogicalResult Evaluator::evaluateFused(FusedOp op) {
  for (auto [argument, operand] :
       llvm::zip_equal(op.getBody().getArguments(), op.getOperands())) {
    if (operand.getType().isIntOrIndexOrFloat() && !scalar(operand))
      return op.emitOpError("expected scalar operands that are known");
    Cell cell = cells[operand];
    cells[argument] = cell;
  }
  Block &body = op.getBody().front();
  for (Operation &member : body.without_terminator())
    if (failed(evaluate(&member)))
      return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    Cell cell = cells[value];
    cells[result] = cell;
  }
  return success();
}

/// NaN shows where somebody reads what nobody wrote.
LogicalResult Evaluator::evaluateLocal(LocalOp op) {
  std::shared_ptr<SparseArray> pattern = sparse(op.getPattern());
  if (!pattern)
    return op.emitOpError("expected a pattern that was packed");
  auto type = cast<ShapedType>(op.getResult().getType());
  std::vector<int64_t> shape = type.getShape().vec();
  const unsigned dim = op.getMap().getDimPosition(0);
  shape[0] =
      dim == 0 ? int64_t(pattern->values.size()) : pattern->shape[dim - 1];
  ValueRange sizes = op.getSizes();
  for (int64_t &extent : llvm::drop_begin(shape)) {
    if (!ShapedType::isDynamic(extent))
      continue;
    std::optional<Number> size = scalar(sizes.front());
    if (!size)
      return op.emitOpError("expected sizes that are known");
    extent = int64_t(size->value);
    sizes = sizes.drop_front();
  }
  std::shared_ptr<DenseArray> array = zeros(shape);
  llvm::fill(array->values, std::numeric_limits<double>::quiet_NaN());
  cells[op.getResult()] = {array, nullptr};
  return success();
}

FailureOr<SmallVector<Cell>> Evaluator::call(func::FuncOp function,
                                             ArrayRef<Cell> arguments) {
  Block &body = function.front();
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("expected one block");
  for (auto [value, cell] : llvm::zip_equal(body.getArguments(), arguments))
    cells[value] = cell;
  if (failed(evaluateBlock(body)))
    return failure();
  return cellsOf(body.getTerminator()->getOperands());
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
    array.magnitudes = absolute(array.values, array.imaginaries);
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
    array.magnitudes = absolute(array.values, array.imaginaries);
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
  auto stored = std::make_shared<StoredValues>();
  FailureOr<SmallVector<Cell>> results =
      Evaluator(stored).call(function, cells);
  if (failed(results))
    return failure();
  stored->updateAll();
  Interpretation interpretation;
  for (const Cell &cell : *results)
    interpretation.results.push_back(toValue(cell));
  for (const Cell &cell : cells)
    interpretation.arguments.push_back(toValue(cell));
  return interpretation;
}
