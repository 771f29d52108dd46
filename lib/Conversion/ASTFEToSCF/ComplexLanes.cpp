//===- ComplexLanes.cpp - complex numbers in pairs of lanes ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexLanes.h"
#include "ASTFE/Analysis/ComplexPlan.h"
#include "ASTFE/Conversion/ComplexBuffers.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ComputeBody.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

void host::openPairs(ImplicitLocOpBuilder &b, ComputeOp op,
                     const ComputePlan &plan, MutableArrayRef<Value> inputs,
                     MutableArrayRef<Value> outputs) {
  SmallVector<AffineMap> maps = op.getMapArray();
  auto open = [&](Value &buffer, AffineMap map) {
    auto place =
        map.getResultPosition(getAffineDimExpr(plan.laneDim, b.getContext()));
    if (!place)
      return;
    buffer = *place + 1 == map.getNumResults() &&
                     cast<MemRefType>(buffer.getType()).getLayout().isIdentity()
                 ? floatsOf(b, b.getLoc(), buffer, /*merged=*/true)
                 : floatsApart(b, b.getLoc(), buffer, /*part=*/0, *place);
  };
  for (auto [buffer, map] : llvm::zip(inputs, maps))
    open(buffer, map);
  for (auto [buffer, map] :
       llvm::zip(outputs, llvm::drop_begin(maps, inputs.size())))
    open(buffer, map);
}

ComputeOp host::addColumn(ImplicitLocOpBuilder &b, ComputeOp op,
                          ArrayRef<Value> inputs, ArrayRef<Value> outputs) {
  const ComputeQuestion column = *withColumn(questionOf(op, PlanTarget::Host));
  SmallVector<AffineMap> maps;
  auto widen = [&](ArrayRef<Value> buffers, ArrayRef<PlanOperand> operands) {
    SmallVector<Value> wide;
    for (auto [buffer, operand] : llvm::zip_equal(buffers, operands)) {
      maps.push_back(operand.map);
      wide.push_back(buffer);
      const int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
      if (operand.type.getRank() == rank)
        continue;
      SmallVector<ReassociationIndices> groups;
      for (int64_t r = 0; r < rank; ++r)
        groups.push_back({r});
      groups.back().push_back(rank);
      wide.back() = memref::ExpandShapeOp::create(b, operand.type.getShape(),
                                                  buffer, groups);
    }
    return wide;
  };
  SmallVector<Value> wideInputs = widen(inputs, column.inputs),
                     wideOutputs = widen(outputs, column.outputs);
  return remade(b, op, wideInputs, wideOutputs, maps);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Lane l of the result is lane laneOf(l) of [first, second].
static Value shuffle(ImplicitLocOpBuilder &b, Value first, Value second,
                     function_ref<int64_t(int64_t)> laneOf) {
  SmallVector<int64_t> picked;
  const int64_t lanes = cast<VectorType>(first.getType()).getDimSize(0);
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(laneOf(lane));
  return vector::ShuffleOp::create(b, first, second, picked);
}

/// Even lanes of one and odd lanes of the other.
static Value alternate(ImplicitLocOpBuilder &b, Value even, Value odd) {
  const int64_t lanes = cast<VectorType>(even.getType()).getDimSize(0);
  return shuffle(b, even, odd,
                 [&](int64_t lane) { return lane % 2 ? lanes + lane : lane; });
}

Value host::toPairs(ImplicitLocOpBuilder &b, Value number, int64_t lanes) {
  Type part = cast<ComplexType>(number.getType()).getElementType();
  Value re = complex::ReOp::create(b, part, number),
        im = complex::ImOp::create(b, part, number);
  Value pair = vector::FromElementsOp::create(b, VectorType::get({2}, part),
                                              ValueRange{re, im});
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(lane % 2);
  return vector::ShuffleOp::create(b, pair, pair, picked);
}

/// A part of a number in each lane: of one that is the same in all, or of each
/// pair's in both of its lanes.
static Value partInLanes(ImplicitLocOpBuilder &b, Value value, int64_t part,
                         int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return shuffle(b, value, value,
                   [&](int64_t lane) { return lane / 2 * 2 + part; });
  Type element = cast<ComplexType>(value.getType()).getElementType();
  Value number = part ? complex::ImOp::create(b, element, value).getResult()
                      : complex::ReOp::create(b, element, value).getResult();
  return vector::BroadcastOp::create(b, VectorType::get({lanes}, element),
                                     number);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
class PairsCloner {
public:
  PairsCloner(ImplicitLocOpBuilder &b, IRMapping &mapping, int64_t lanes,
              bool contract)
      : b(b), mapping(mapping), lanes(lanes), contract(contract) {}

  Value clone(Operation &op);

private:
  template <typename Op>
  Value make(Value a, Value c) {
    auto made = Op::create(b, a, c);
    if (contract)
      allowContraction(made);
    return made;
  }
  template <typename Op>
  Value elementwise(Value a, Value c) {
    return make<Op>(inLanes(a), inLanes(c));
  }
  Value inLanes(Value value);
  Value product(Value a, Value c);

  ImplicitLocOpBuilder &b;
  IRMapping &mapping;
  int64_t lanes;
  bool contract;
};
} // namespace

/// What stands for a complex value of the body.
Value PairsCloner::inLanes(Value value) {
  Value known = mapping.lookupOrDefault(value);
  return isa<VectorType>(known.getType()) ? known : toPairs(b, known, lanes);
}

/// The products of parts that are subtracted, or added, as upstream has them.
Value PairsCloner::product(Value a, Value c) {
  Value left = mapping.lookupOrDefault(a), right = mapping.lookupOrDefault(c);
  if (!isa<VectorType>(right.getType()))
    std::swap(left, right);
  Value turned =
      shuffle(b, right, right, [](int64_t lane) { return lane ^ 1; });
  Value straight = make<arith::MulFOp>(partInLanes(b, left, 0, lanes), right),
        crossed = make<arith::MulFOp>(partInLanes(b, left, 1, lanes), turned);
  return alternate(b, make<arith::SubFOp>(straight, crossed),
                   make<arith::AddFOp>(straight, crossed));
}

Value PairsCloner::clone(Operation &op) {
  return TypeSwitch<Operation *, Value>(&op)
      .Case([&](complex::AddOp op) {
        return elementwise<arith::AddFOp>(op.getLhs(), op.getRhs());
      })
      .Case([&](complex::SubOp op) {
        return elementwise<arith::SubFOp>(op.getLhs(), op.getRhs());
      })
      .Case(
          [&](complex::MulOp op) { return product(op.getLhs(), op.getRhs()); })
      .Case([&](complex::NegOp op) -> Value {
        return arith::NegFOp::create(b, inLanes(op.getComplex()));
      })
      .Case([&](complex::ConjOp op) {
        Value all = inLanes(op.getComplex());
        return alternate(b, all, arith::NegFOp::create(b, all));
      })
      .Case([&](arith::SelectOp op) -> Value {
        return arith::SelectOp::create(
            b, mapping.lookupOrDefault(op.getCondition()),
            inLanes(op.getTrueValue()), inLanes(op.getFalseValue()));
      });
}

void host::clonePairs(ImplicitLocOpBuilder &b, Operation &op,
                      IRMapping &mapping, int64_t lanes, bool contract) {
  PairsCloner cloner(b, mapping, lanes, contract);
  mapping.map(op.getResult(0), cloner.clone(op));
}
