//===- Point.cpp - loading nonzeros and evaluating the body ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ComplexBody.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ASTFE/Conversion/WidenedBody.h"
#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace astfe::gpukernel {

Value Emitter::rowStep() {
  if (variant.wide)
    return i32(1);
  // A team has all columns.
  if (hasTeams())
    return i32(variant.lanes);
  if (vector() == 1)
    return columnCount;
  return arith::DivUIOp::create(b, columnCount, i32(vector()));
}

Point Emitter::place(Value column) {
  Point point;
  if (!plan.oneColumn)
    point.offset = variant.wide ? column : mul(column, rowStep());
  return point;
}

void Emitter::beginRun(Value base) {
  inputs = wholeInputs;
  runBase = base;
  slotBase = movesPointers() ? Value() : base;
  for (auto [input, view] : llvm::zip_equal(plan.inputs, inputs)) {
    if (input.dense)
      view = viewFrom(view, column);
    else if (input.values && movesPointers())
      view = viewFrom(view, input.part ? mul(base, index(2)) : base);
  }
}

Value Emitter::loadScalar(size_t input, Value at) {
  if (std::optional<unsigned> part = plan.inputs[input].part)
    at = add(mul(toIndex(at), index(2)), index(*part));
  return load(inputs[input], at);
}

Value Emitter::cellAt(size_t input, Value column, Value row) {
  Value first = row, second = toIndex(column);
  if (plan.inputs[input].lead == Lead::Column)
    std::swap(first, second);
  return add(mul(first, toIndex(strides[input])), second);
}

Value Emitter::likeSlot(Value slot, Value count) {
  return slot.getType().isIndex() ? toIndex(count) : count;
}

Point Emitter::load(Value slot, Value column, Value row) {
  Point point = place(column);
  point.row = row;
  for (auto [i, input] : llvm::enumerate(plan.inputs)) {
    Value at = column;
    if (input.values)
      at = slotBase ? add(slotBase, toIndex(slot)) : slot;
    else if (input.cell)
      at = cellAt(i, column, row);
    point.scalars.push_back(input.perNonzero() ? loadScalar(i, at) : Value());
  }
  return point;
}

Point Emitter::broadcastScalars(const Point &point, Value fromLane) {
  Point result;
  for (Value scalar : point.scalars)
    result.scalars.push_back(scalar ? broadcast(scalar, fromLane) : Value());
  return result;
}

Point Emitter::broadcast(const Point &point, Value fromLane) {
  Point result;
  result.row = point.row;
  result.offset = broadcast(point.offset, fromLane);
  result.scalars = broadcastScalars(point, fromLane).scalars;
  return result;
}

Value Emitter::rowOffset(Value row) {
  return add(mul(row, toIndex(columnCount)), column);
}

/// What the body sees of a point: a scalar, or a vector for dense operands.
Values Emitter::operands(const Point &point) {
  Values result;
  for (auto [i, input] : llvm::enumerate(plan.inputs)) {
    if (input.perNonzero()) {
      result.push_back(point.scalars[i]);
      continue;
    }
    if (!input.dense) {
      Value at = input.lead == Lead::Row ? point.row : index(0);
      result.push_back(loadScalar(i, at));
      continue;
    }
    Value at = index(0);
    if (input.lead == Lead::Row)
      at = mul(point.row, toIndex(columnCount));
    else if (input.lead == Lead::Column && variant.wide)
      at = mul(toIndex(point.offset), toIndex(columnCount));
    else if (input.lead == Lead::Column)
      at = mul(toIndex(point.offset), index(vector()));
    result.push_back(loadColumns(inputs[i], at));
  }
  return result;
}

/// A half as the body computes with it; null, and all else, as it is.
Value Emitter::widened(Value value) {
  if (!plan.widens || !value || widenedType(value.getType()) == value.getType())
    return value;
  return arith::ExtFOp::create(b, widenedType(value.getType()), value);
}

/// Unsigned combiners compare what zeros are put before.
static bool isUnsigned(arith::AtomicRMWKind combiner) {
  return combiner == arith::AtomicRMWKind::maxu ||
         combiner == arith::AtomicRMWKind::minu;
}

Value Emitter::toSum(Value element) {
  if (element.getType() == plan.element)
    return element;
  if (isa<FloatType>(plan.element))
    return arith::ExtFOp::create(b, plan.element, element);
  if (isUnsigned(plan.combiner))
    return arith::ExtUIOp::create(b, plan.element, element);
  return arith::ExtSIOp::create(b, plan.element, element);
}

Value Emitter::toStored(Value sum, Type type) {
  if (sum.getType() == type)
    return sum;
  if (isa<FloatType>(type))
    return arith::TruncFOp::create(b, type, sum);
  return arith::TruncIOp::create(b, type, sum);
}

void Emitter::store(Value sum, Value buffer, Value at) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  memref::StoreOp::create(b, toStored(sum, type), buffer, ValueRange{at});
}

llvm::MaybeAlign Emitter::alignment(VectorType type) const {
  const uint64_t bytes = type.getElementTypeBitWidth() / 8;
  // There is no narrower variant for buffers of a device that begin between.
  if (plan.complex && !plan.aligned && !hasTeams() &&
      vector() == plan.minVector())
    return llvm::MaybeAlign(bytes);
  return llvm::MaybeAlign(uint64_t(type.getNumElements()) * bytes);
}

Value Emitter::loadColumns(Value buffer, Value at) {
  auto type = VectorType::get(
      vector(), cast<MemRefType>(buffer.getType()).getElementType());
  return vector::LoadOp::create(b, type, buffer, ValueRange{at},
                                /*nontemporal=*/false, alignment(type));
}

Values Emitter::loadSums(Value buffer, Value at) {
  Value columns = loadColumns(buffer, at);
  Values sums;
  for (unsigned u = 0; u < vector(); ++u)
    sums.push_back(toSum(vector::ExtractOp::create(b, columns, int64_t(u))));
  return sums;
}

void Emitter::storeSums(const Values &sums, Value buffer, Value at) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get(vector(), element);
  Values stored;
  for (Value sum : sums)
    stored.push_back(toStored(sum, element));
  Value columns = vector::FromElementsOp::create(b, type, stored);
  vector::StoreOp::create(b, columns, buffer, ValueRange{at},
                          /*nontemporal=*/false, alignment(type));
}

namespace {
/// Allows every op that is made to be contracted.
struct Contracting : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    allowContraction(op);
  }
};
} // namespace

/// What a body on complex numbers yields to the part that is an element of the
/// vectors.
Value Emitter::evaluatePart(const Values &operands, unsigned element) {
  Block &body = plan.op->getRegion(0).front();
  PartsBody copy(b, b);
  size_t next = 0;
  auto numberAt = [&](size_t first) -> Parts {
    Value operand = operands[first];
    if (!isa<VectorType>(operand.getType()))
      return {operand, operands[first + 1]};
    auto part = [&](unsigned at) -> Value {
      return vector::ExtractOp::create(b, operand,
                                       int64_t(element / 2 * 2 + at));
    };
    return {part(0), part(1)};
  };
  for (BlockArgument argument : body.getArguments()) {
    if (!isComplex(argument)) {
      copy.set(argument, operands[next++]);
      continue;
    }
    copy.set(argument, numberAt(next));
    next += isa<VectorType>(operands[next].getType()) ? 1 : 2;
  }
  size_t scalar = 0;
  for (Value value : plan.captured) {
    if (isComplex(value)) {
      copy.set(value, Parts{scalars[scalar], scalars[scalar + 1]});
      scalar += 2;
    } else {
      copy.set(value, scalars[scalar++]);
    }
  }
  Contracting listener;
  OpBuilder::Listener *before = b.getListener();
  b.setListener(&listener);
  for (Operation &op : body.without_terminator())
    copy.copy(op);
  b.setListener(before);
  const Parts yielded =
      copy.get(cast<YieldOp>(body.getTerminator()).getValues().front());
  return element % 2 ? yielded.imaginary : yielded.real;
}

/// Clones the body for one element of the vectors.
Values Emitter::evaluate(ArrayRef<Value> wanted, const Values &operands,
                         unsigned element) {
  Block &body = plan.op->getRegion(0).front();
  IRMapping mapping;
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), operands)) {
    Value scalar = operand;
    if (operand && isa<VectorType>(operand.getType()))
      scalar = vector::ExtractOp::create(b, operand, int64_t(element));
    mapping.map(argument, widened(scalar));
  }
  for (auto [captured, scalar] : llvm::zip_equal(plan.scalars, scalars))
    mapping.map(captured, widened(scalar));
  auto rounded = [&](Value value, Type half) -> Value {
    Value narrow = arith::TruncFOp::create(b, half, value);
    return arith::ExtFOp::create(b, value.getType(), narrow);
  };
  for (Operation &op : body.without_terminator()) {
    if (plan.widens && cloneWidened(b, op, mapping, rounded))
      continue;
    Operation *clone = b.clone(op, mapping);
    if (plan.widens)
      for (Value result : clone->getResults())
        result.setType(widenedType(result.getType()));
    allowContraction(clone);
  }
  Values result;
  for (Value value : wanted)
    result.push_back(mapping.lookupOrDefault(value));
  return result;
}

Value Emitter::multiply(ArrayRef<Value> factors) {
  Value product = factors.front();
  for (Value factor : factors.drop_front()) {
    if (!isa<FloatType>(product.getType())) {
      product = mul(product, factor);
      continue;
    }
    auto op = arith::MulFOp::create(b, product, factor);
    allowContraction(op);
    product = op;
  }
  return product;
}

/// What is combined: of a product that is summed, its terms.
Values Emitter::contribute(const Values &operands, unsigned element) {
  if (plan.complex)
    return {evaluatePart(operands, element)};
  if (!plan.terms.empty())
    return {toSum(multiply(evaluate(plan.terms, operands, element)))};
  Block &body = plan.op->getRegion(0).front();
  Values yielded =
      evaluate(llvm::to_vector(cast<YieldOp>(body.getTerminator()).getValues()),
               operands, element);
  for (Value &value : yielded)
    value = toSum(value);
  return yielded;
}

Value Emitter::complete(const Point &point, unsigned part, Value sum) {
  if (!sum)
    return contribute(operands(point), part).front();
  if (plan.factors.empty())
    return sum;
  Values factors{sum};
  for (Value factor : evaluate(plan.factors, operands(point), 0))
    factors.push_back(toSum(factor));
  return multiply(factors);
}

Values Emitter::accumulate(ArrayRef<Point> points, Values accumulators) {
  SmallVector<Values> loaded;
  for (const Point &point : points)
    loaded.push_back(operands(point));
  for (auto [i, operands] : llvm::enumerate(loaded))
    for (unsigned u = 0; u < vector(); ++u) {
      Value &sum = accumulators[(i * vector() + u) % accumulators.size()];
      sum = combine(sum, contribute(operands, u).front());
    }
  return accumulators;
}

Values Emitter::accumulateWhere(ArrayRef<Point> points, ArrayRef<Value> inside,
                                Values sums) {
  SmallVector<Values> loaded;
  for (const Point &point : points)
    loaded.push_back(operands(point));
  for (auto [operands, valid] : llvm::zip_equal(loaded, inside))
    for (unsigned u = 0; u < vector(); ++u) {
      Value added = combine(sums[u], contribute(operands, u).front());
      sums[u] = select(valid, added, sums[u]);
    }
  return sums;
}

Values Emitter::identities() {
  // Of the output's type: others are not what a row without nonzeros holds.
  if (!plan.start)
    return Values(vector(), toSum(arith::getIdentityValue(
                                plan.combiner, plan.stored, b, b.getLoc())));
  return Values(vector(), toSum(arith::ConstantOp::create(b, plan.start)));
}

Value Emitter::combine(Value a, Value c) {
  Value result = arith::getReductionOp(plan.combiner, b, b.getLoc(), a, c);
  if (Operation *op = result.getDefiningOp())
    allowContraction(op);
  return result;
}

} // namespace astfe::gpukernel
