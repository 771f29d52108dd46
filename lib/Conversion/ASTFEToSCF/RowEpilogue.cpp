//===- RowEpilogue.cpp - what follows the computations of a row -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEpilogue.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ASTFE/Conversion/Exponential.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
class RowEpilogue {
public:
  RowEpilogue(ImplicitLocOpBuilder &b, linalg::GenericOp op, bool contract,
              function_ref<Value(Value)> bufferOf)
      : b(b), op(op), contract(contract), bufferOf(bufferOf),
        point(op.getNumLoops()) {}

  void emit(Value key);

private:
  Value extentOf(unsigned loop);
  SmallVector<Value> indicesOf(OpOperand &operand);
  void emitLoop(unsigned loop);
  void emitPoint();

  ImplicitLocOpBuilder &b;
  linalg::GenericOp op;
  bool contract;
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

void RowEpilogue::emitPoint() {
  Block *body = op.getBody();
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = bufferOf(operand.get());
    if (isa<MemRefType>(value.getType()))
      value = memref::LoadOp::create(b, value, indicesOf(operand));
    mapping.map(op.getMatchingBlockArgument(&operand), value);
  }
  for (Operation &inner : body->without_terminator()) {
    if (auto exp = dyn_cast<math::ExpOp>(inner);
        exp && hasExpExpansion(exp.getType())) {
      Value x = mapping.lookupOrDefault(exp.getOperand());
      mapping.map(exp.getResult(), expandExp(b, x, contract));
      continue;
    }
    Operation *clone = b.clone(inner, mapping);
    if (contract)
      allowContraction(clone);
  }
  for (auto [value, init] :
       llvm::zip(body->getTerminator()->getOperands(), op.getDpsInitsMutable()))
    memref::StoreOp::create(b, mapping.lookupOrDefault(value),
                            bufferOf(init.get()), indicesOf(init));
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
