//===- RowEpilogue.cpp - what follows the computations of a row -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEpilogue.h"
#include "ASTFE/Analysis/FusedPlan.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ASTFE/Conversion/Exponential.h"
#include "ASTFE/Conversion/WidenedBody.h"
#include "StoredElements.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
class RowEpilogue {
public:
  RowEpilogue(ImplicitLocOpBuilder &b, linalg::GenericOp op, bool contract,
              function_ref<Value(Value)> bufferOf)
      : b(b), op(op), contract(contract), widens(widensHalves(op)),
        bufferOf(bufferOf), point(op.getNumLoops()) {}

  void emit(Value key);

private:
  Value extentOf(unsigned loop);
  SmallVector<Value> indicesOf(OpOperand &operand);
  void emitLoop(unsigned loop);
  void emitPoint();
  Value computed(Value stored, Type type);
  void cloneInner(Operation &inner, IRMapping &mapping);

  ImplicitLocOpBuilder &b;
  linalg::GenericOp op;
  bool contract, widens;
  function_ref<Value(Value)> bufferOf;
  SmallVector<Value> point;
};
} // namespace

/// Of a loop behind the key's: from an operand that it indexes.
Value RowEpilogue::extentOf(unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (unsigned r = 0; r < map.getNumResults(); ++r)
      if (map.getResult(r) == b.getAffineDimExpr(loop))
        return b.createOrFold<memref::DimOp>(
            bufferOf(operand.get()), arith::ConstantIndexOp::create(b, r));
  }
  return arith::ConstantIndexOp::create(b, 1);
}

SmallVector<Value> RowEpilogue::indicesOf(OpOperand &operand) {
  SmallVector<Value> indices;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (unsigned r = 0; r < map.getNumResults(); ++r)
    indices.push_back(point[map.getDimPosition(r)]);
  return indices;
}

/// An element of `type`, or a scalar, as the body has it.
Value RowEpilogue::computed(Value stored, Type type) {
  return fromStored(b, stored, widens ? widenedType(type) : type);
}

void RowEpilogue::cloneInner(Operation &inner, IRMapping &mapping) {
  auto rounded = [&](Value value, Type half) {
    return roundedTo(b, value, half);
  };
  if (widens && cloneWidened(b, inner, mapping, rounded))
    return;
  if (auto exp = dyn_cast<math::ExpOp>(inner)) {
    Value x = mapping.lookupOrDefault(exp.getOperand());
    if (hasExpExpansion(x.getType())) {
      mapping.map(exp.getResult(), expandExp(b, x, contract));
      return;
    }
  }
  Operation *clone = b.clone(inner, mapping);
  if (widens)
    for (Value result : clone->getResults())
      result.setType(widenedType(result.getType()));
  if (contract)
    allowContraction(clone);
}

void RowEpilogue::emitPoint() {
  Block *body = op.getBody();
  IRMapping mapping;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, computed(value, value.getType()));
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = bufferOf(operand.get());
    if (isa<MemRefType>(value.getType()))
      value =
          memref::LoadOp::create(b, asStored(b, value), indicesOf(operand));
    mapping.map(op.getMatchingBlockArgument(&operand),
                computed(value, getElementTypeOrSelf(operand.get())));
  }
  for (Operation &inner : body->without_terminator())
    cloneInner(inner, mapping);
  for (auto [value, init] : llvm::zip(body->getTerminator()->getOperands(),
                                      op.getDpsInitsMutable())) {
    Value buffer = asStored(b, bufferOf(init.get()));
    memref::StoreOp::create(
        b, toStored(b, mapping.lookup(value), getElementTypeOrSelf(buffer)),
        buffer, indicesOf(init));
  }
}

void RowEpilogue::emitLoop(unsigned loop) {
  if (loop == op.getNumLoops())
    return emitPoint();
  scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0), extentOf(loop),
                     arith::ConstantIndexOp::create(b, 1), ValueRange(),
                     [&](OpBuilder &, Location, Value at, ValueRange) {
                       point[loop] = at;
                       emitLoop(loop + 1);
                       scf::YieldOp::create(b);
                     });
}

void RowEpilogue::emit(Value key) {
  point.front() = key;
  emitLoop(1);
}

void host::emitEpilogue(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                        Value key, bool contract,
                        function_ref<Value(Value)> bufferOf) {
  RowEpilogue(b, op, contract, bufferOf).emit(key);
}
