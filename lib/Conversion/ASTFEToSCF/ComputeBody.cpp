//===- ComputeBody.cpp - the body of a compute op, for scalars and lanes --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeBody.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ASTFE/Conversion/Exponential.h"
#include "ASTFE/Conversion/WidenedBody.h"
#include "ComplexLanes.h"
#include "LaneAddress.h"
#include "LanesApart.h"
#include "StoredElements.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

ComputeBody::ComputeBody(ImplicitLocOpBuilder &builder, ComputeOp op,
                         const ComputePlan &plan, ArrayRef<Value> inputs,
                         ArrayRef<Value> outputs, bool contract)
    : b(builder), op(op), plan(plan), overwrites(op.getOverwrite()),
      contract(contract) {
  for (Value input : inputs)
    this->inputs.push_back(asStored(b, input));
  for (Value output : outputs)
    this->outputs.push_back(asStored(b, output));
  SmallVector<AffineMap> maps = op.getMapArray();
  inputMaps.assign(maps.begin(), maps.begin() + inputs.size());
  outputMaps.assign(maps.begin() + inputs.size(), maps.end());
  for (auto [buffer, map] : llvm::zip(this->inputs, inputMaps))
    turnToLanes(buffer, map);
  for (auto [buffer, map] : llvm::zip(this->outputs, outputMaps))
    turnToLanes(buffer, map);
}

/// Lanes run along the last dimension. Where another one is indexed by them, a
/// view of the buffer has it last.
void ComputeBody::turnToLanes(Value &buffer, AffineMap &map) {
  if (!buffer || !isa<MemRefType>(buffer.getType()) || map.getNumResults() < 2)
    return;
  SmallVector<unsigned> lanes;
  if (plan.lanes == Lanes::Dense)
    lanes.push_back(plan.laneDim);
  if (plan.lanes == Lanes::Slots)
    lanes.append(plan.walked.begin(), plan.walked.end());
  SmallVector<AffineExpr> others, last;
  for (AffineExpr result : map.getResults())
    (llvm::is_contained(lanes, cast<AffineDimExpr>(result).getPosition())
         ? last
         : others)
        .push_back(result);
  if (last.size() != 1 || map.getResults().back() == last.front())
    return;
  SmallVector<unsigned> order;
  for (AffineExpr result : llvm::concat<AffineExpr>(others, last))
    order.push_back(*map.getResultPosition(result));
  buffer = memref::TransposeOp::create(
      b, buffer,
      AffineMapAttr::get(AffineMap::getPermutationMap(order, b.getContext())));
  map = map.getSubMap(order);
}

ComputeOp host::remade(ImplicitLocOpBuilder &b, ComputeOp op,
                       ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                       ArrayRef<AffineMap> maps) {
  auto made = ComputeOp::create(b, TypeRange(), op.getPattern(), inputs,
                                outputs, b.getAffineMapArrayAttr(maps),
                                op.getKernelAttr(), op.getOverwrite());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getBody().cloneInto(&made.getBody(), mapping);
  return made;
}

Value ComputeBody::index(int64_t value) const {
  return arith::ConstantIndexOp::create(b, value);
}

Type ComputeBody::computedType(Type element) const {
  return plan.widens ? widenedType(element) : element;
}

Type host::partType(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

Type ComputeBody::sumType(unsigned output) {
  return computedType(partType(elementType(op.getOutputs()[output])));
}

/// Sums are computed in a wider type than the output's elements have.
static bool widensSums(ComputeBody &body, unsigned output) {
  return body.sumType(output) !=
         partType(body.elementType(body.op.getOutputs()[output]));
}

bool ComputeBody::roundsSums(unsigned output) {
  using Kind = arith::AtomicRMWKind;
  return widensSums(*this, output) &&
         llvm::is_contained({Kind::addf, Kind::mulf},
                            plan.outputs[output].combiner);
}

Type ComputeBody::keptType(unsigned output) {
  return widensSums(*this, output) ? sumType(output)
                                   : elementType(outputs[output]);
}

int64_t ComputeBody::laneBits() {
  return std::max(8u, sumType(0).getIntOrFloatBitWidth());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SmallVector<Value> ComputeBody::indices(AffineMap map, ArrayRef<Value> point) {
  SmallVector<Value> result;
  for (unsigned r = 0; r < map.getNumResults(); ++r)
    result.push_back(point[map.getDimPosition(r)]);
  return result;
}

Value ComputeBody::loadStored(unsigned input, ArrayRef<Value> point) {
  if (!isa<MemRefType>(inputs[input].getType()))
    return inputs[input];
  return memref::LoadOp::create(b, inputs[input],
                                indices(inputMaps[input], point));
}

Value ComputeBody::opened(unsigned input, Value stored) {
  Type type = elementType(op.getInputs()[input]);
  if (isa<VectorType>(stored.getType()))
    type = partType(type);
  return fromStored(b, stored, computedType(type));
}

Value ComputeBody::loadInput(unsigned input, ArrayRef<Value> point) {
  return opened(input, loadStored(input, point));
}

Value ComputeBody::gatherInput(
    unsigned input, int64_t lanes,
    function_ref<SmallVector<Value>(int64_t)> pointOf) {
  SmallVector<Value> elements;
  for (int64_t l = 0; l < lanes; ++l)
    elements.push_back(loadStored(input, pointOf(l)));
  auto type = VectorType::get({lanes}, elements.front().getType());
  return opened(input, vector::FromElementsOp::create(b, type, elements));
}

bool ComputeBody::gathers(unsigned input) const {
  auto type = dyn_cast<MemRefType>(inputs[input].getType());
  return fastGathers && type && type.getRank() == 1 &&
         type.isLastDimUnitStride() && type.getElementType().isIntOrFloat() &&
         llvm::is_contained({32u, 64u}, type.getElementTypeBitWidth());
}

Value ComputeBody::gatherColumns(unsigned input, Value columns, Value base,
                                 Value mask) {
  auto numbers = cast<VectorType>(columns.getType());
  const int64_t lanes = numbers.getDimSize(0);
  if (!numbers.getElementType().isIndex() &&
      numbers.getElementTypeBitWidth() < 32)
    columns = arith::ExtUIOp::create(
        b, VectorType::get({lanes}, b.getI32Type()), columns);
  auto type = VectorType::get({lanes}, elementType(inputs[input]));
  auto masks = VectorType::get({lanes}, b.getI1Type());
  if (!mask)
    mask = arith::ConstantOp::create(b, DenseElementsAttr::get(masks, true));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return opened(input, vector::GatherOp::create(b, type, inputs[input],
                                                base ? base : index(0), columns,
                                                mask, zero));
}

Value ComputeBody::loadLanes(VectorType type, Value buffer, ValueRange at,
                             Value mask) {
  if (areApart(buffer))
    return loadApart(b, type, buffer, at, mask, plan.pairs);
  LaneAddress from = laneAddress(b, buffer, at);
  if (!mask)
    return vector::LoadOp::create(b, type, from.buffer, from.at);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, from.buffer, from.at, mask,
                                      zero);
}

Value ComputeBody::loadInputLanes(unsigned input, ArrayRef<Value> point,
                                  int64_t lanes, Value mask) {
  auto type = VectorType::get({lanes}, elementType(inputs[input]));
  return opened(input, loadLanes(type, inputs[input],
                                 indices(inputMaps[input], point), mask));
}

Value ComputeBody::loadSums(unsigned output, Value buffer, ValueRange at,
                            int64_t lanes, Value mask) {
  Value stored = lanes
                     ? loadLanes(VectorType::get({lanes}, elementType(buffer)),
                                 buffer, at, mask)
                     : memref::LoadOp::create(b, buffer, at).getResult();
  return fromStored(b, stored, sumType(output));
}

Value ComputeBody::updated(unsigned output, Value buffer, ValueRange at,
                           Value value, Value mask) {
  auto type = dyn_cast<VectorType>(value.getType());
  Value old = loadSums(output, buffer, at, type ? type.getDimSize(0) : 0, mask);
  return combine(output, old, value);
}

void ComputeBody::store(Value value, Value buffer, ValueRange at, Value mask) {
  value = toStored(b, value, elementType(buffer));
  if (!isa<VectorType>(value.getType())) {
    memref::StoreOp::create(b, value, buffer, at);
    return;
  }
  if (areApart(buffer))
    return storeApart(b, value, buffer, at, mask, plan.pairs);
  LaneAddress to = laneAddress(b, buffer, at);
  if (mask)
    vector::MaskedStoreOp::create(b, to.buffer, to.at, mask, value);
  else
    vector::StoreOp::create(b, value, to.buffer, to.at);
}

void ComputeBody::storePastCaches(Value value, Value buffer, ValueRange at) {
  value = toStored(b, value, elementType(buffer));
  auto type = cast<VectorType>(value.getType());
  const int64_t bytes =
      type.getNumElements() * type.getElementTypeBitWidth() / 8;
  LaneAddress to = laneAddress(b, buffer, at);
  vector::StoreOp::create(b, value, to.buffer, to.at, /*nontemporal=*/true,
                          llvm::MaybeAlign(uint64_t(bytes)));
}

void ComputeBody::update(unsigned output, Value buffer, ValueRange at,
                         Value value) {
  store(updated(output, buffer, at, value, {}), buffer, at, {});
}

Value host::notOf(ImplicitLocOpBuilder &b, Value condition) {
  Value isTrue = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, condition, isTrue);
}

Value host::loadIndex(ImplicitLocOpBuilder &b, Value buffer, Value at) {
  Value value = memref::LoadOp::create(b, buffer, at);
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

Value ComputeBody::asRead(unsigned output, Value value) {
  Type type = elementType(op.getOutputs()[output]);
  return computedType(type) == type ? value : roundedTo(b, value, type);
}

Value ComputeBody::toLanes(Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  if (isa<ComplexType>(value.getType()))
    return toPairs(b, value, lanes);
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}

void ComputeBody::cloneOnLanes(Operation &inner, IRMapping &mapping) {
  int64_t lanes = 0;
  for (Value operand : inner.getOperands())
    if (auto type =
            dyn_cast<VectorType>(mapping.lookupOrDefault(operand).getType()))
      lanes = type.getDimSize(0);
  if (lanes && plan.pairs)
    return clonePairs(b, inner, mapping, lanes, contract);
  if (lanes)
    for (Value operand : inner.getOperands())
      mapping.map(operand, toLanes(mapping.lookupOrDefault(operand), lanes));
  auto rounded = [&](Value value, Type half) {
    return roundedTo(b, value, half);
  };
  if (plan.widens && cloneWidened(b, inner, mapping, rounded))
    return;
  if (isa<math::ExpOp>(inner) &&
      hasExpExpansion(computedType(inner.getOperand(0).getType()))) {
    Value x = mapping.lookupOrDefault(inner.getOperand(0));
    mapping.map(inner.getResult(0), expandExp(b, x, contract));
    return;
  }
  Operation *clone = b.clone(inner, mapping);
  for (Value result : clone->getResults()) {
    Type type = computedType(result.getType());
    result.setType(lanes ? VectorType::get({lanes}, type) : type);
  }
  if (contract)
    allowContraction(clone);
}

SmallVector<Value> ComputeBody::contributions(ArrayRef<Value> arguments) {
  Block &block = op.getBody().front();
  IRMapping mapping;
  mapping.map(block.getArguments().take_front(arguments.size()), arguments);
  for (Operation &inner : block.without_terminator())
    cloneOnLanes(inner, mapping);
  SmallVector<Value> result;
  for (Value value : cast<YieldOp>(block.getTerminator()).getValues())
    result.push_back(mapping.lookupOrDefault(value));
  return result;
}

SmallVector<Value>
ComputeBody::evaluate(ArrayRef<Value> wanted,
                      function_ref<Value(unsigned)> argument) {
  Block &block = op.getBody().front();
  IRMapping mapping;
  std::function<Value(Value)> visit = [&](Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (auto input = dyn_cast<BlockArgument>(value);
        input && input.getOwner() == &block) {
      mapping.map(value, argument(input.getArgNumber()));
      return mapping.lookup(value);
    }
    Operation *maker = value.getDefiningOp();
    if (!maker || maker->getBlock() != &block)
      return value;
    for (Value operand : maker->getOperands())
      visit(operand);
    cloneOnLanes(*maker, mapping);
    return mapping.lookup(value);
  };
  return llvm::map_to_vector(wanted, visit);
}

Value ComputeBody::multiply(Value a, Value c) {
  auto lanesOf = [](Value value) -> int64_t {
    auto type = dyn_cast<VectorType>(value.getType());
    return type ? type.getDimSize(0) : 0;
  };
  if (int64_t lanes = std::max(lanesOf(a), lanesOf(c))) {
    a = toLanes(a, lanes);
    c = toLanes(c, lanes);
  }
  Operation *product = isa<FloatType>(getElementTypeOrSelf(a.getType()))
                           ? arith::MulFOp::create(b, a, c).getOperation()
                           : arith::MulIOp::create(b, a, c).getOperation();
  if (contract)
    allowContraction(product);
  return product->getResult(0);
}

Value ComputeBody::summand(function_ref<Value(unsigned)> argument) {
  if (plan.terms.empty())
    return completed({}, argument);
  SmallVector<Value> terms = evaluate(plan.terms, argument);
  Value product = terms.front();
  for (Value term : ArrayRef(terms).drop_front())
    product = multiply(product, term);
  return product;
}

Value ComputeBody::completed(Value sum,
                             function_ref<Value(unsigned)> argument) {
  if (!sum)
    return evaluate(cast<YieldOp>(op.getBody().front().getTerminator())
                        .getValues()[0],
                    argument)
        .front();
  for (Value factor : evaluate(plan.factors, argument))
    sum = multiply(sum, factor);
  return sum;
}

Value ComputeBody::combine(unsigned output, Value sum, Value value) {
  if (auto type = dyn_cast<VectorType>(sum.getType()))
    value = toLanes(value, type.getDimSize(0));
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  Value result =
      arith::getReductionOp(yield.getKind(output), b, b.getLoc(), sum, value);
  if (contract)
    allowContraction(result.getDefiningOp());
  return result;
}

void ComputeBody::mayContract(Operation *made) {
  if (contract)
    allowContraction(made);
}

Value ComputeBody::begun(unsigned output, Value contribution) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  if (!yield.getGivenStart(output))
    return contribution;
  auto lanes = dyn_cast<VectorType>(contribution.getType());
  return combine(output, identity(output, lanes ? lanes.getNumElements() : 0),
                 contribution);
}

Value ComputeBody::identity(unsigned output, int64_t lanes) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  TypedAttr scalar = yield.getStart(output);
  if (plan.pairs)
    scalar = b.getZeroAttr(partType(scalar.getType()));
  // Of the yielded type: what a chain keeps by key has no buffer to ask.
  Type type = computedType(scalar.getType());
  if (scalar.getType() != type)
    scalar = b.getFloatAttr(type, cast<FloatAttr>(scalar).getValueAsDouble());
  if (!lanes)
    return arith::ConstantOp::create(b, scalar);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({lanes}, type), scalar));
}
