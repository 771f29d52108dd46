//===- ScalarLoop.cpp - any computation, one point at a time --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarLoop.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The body at one point; contributions go straight to memory.
static void emitPoint(ComputeBody &body, ArrayRef<Value> point) {
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    arguments.push_back(body.loadInput(i, point));
  for (auto [o, value] : llvm::enumerate(body.contributions(arguments)))
    body.update(o, body.outputs[o], body.indices(body.outputMaps[o], point),
                value);
}

void host::clearOutputs(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  for (auto [o, buffer] : llvm::enumerate(body.outputs)) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> at;
    for (int64_t r = 0; r < cast<MemRefType>(buffer.getType()).getRank(); ++r) {
      Value size = b.createOrFold<memref::DimOp>(buffer, body.index(r));
      auto loop = scf::ForOp::create(b, body.index(0), size, body.index(1));
      at.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    body.store(body.identity(o, 0), buffer, at, {});
  }
}

void host::emitNonzeroPoints(ComputeBody &body, ArrayRef<Value> point) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> inner(point);
  for (unsigned d = kDenseDim; d < body.dims(); ++d) {
    auto loop = scf::ForOp::create(b, body.index(0), denseExtent(body, d),
                                   body.index(1));
    inner[d] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  emitPoint(body, inner);
}

void host::emitViewScalars(ComputeBody &body, const ViewStorage &view) {
  ImplicitLocOpBuilder &b = body.b;
  if (body.op.getOverwrite())
    clearOutputs(body);
  Value one = body.index(1);
  SmallVector<Value> point(body.dims());
  auto emitOne = [&](OpBuilder &, Location, Value n, ValueRange) {
    point[kNonzeroDim] = n;
    point[view.minorDim()] = loadIndex(b, view.coordinates, n);
    emitNonzeroPoints(body, point);
    scf::YieldOp::create(b);
  };
  auto emitMajor = [&](OpBuilder &, Location, Value major, ValueRange) {
    point[view.majorDim] = major;
    Value begin = loadIndex(b, view.positions, major);
    Value next = arith::AddIOp::create(b, major, one);
    scf::ForOp::create(b, begin, loadIndex(b, view.positions, next), one,
                       ValueRange(), emitOne);
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, body.index(0), view.major, one, ValueRange(),
                     emitMajor);
}
