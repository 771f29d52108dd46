//===- ScalarLoop.cpp - any computation, one point at a time --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarLoop.h"
#include "LentSums.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The body at one point; contributions go straight to memory, to outputs at
/// `target`, of the same dense indices.
static void emitPoint(ComputeBody &body, ArrayRef<Value> point,
                      ArrayRef<Value> target) {
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    arguments.push_back(body.loadInput(i, point));
  for (auto [o, value] : llvm::enumerate(body.contributions(arguments)))
    body.update(o, body.outputs[o], body.indices(body.outputMaps[o], target),
                value);
}

/// Visits all elements of a buffer.
static void forEachElement(ComputeBody &body, Value buffer,
                           function_ref<void(ArrayRef<Value>)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> at;
  for (int64_t r = 0; r < cast<MemRefType>(buffer.getType()).getRank(); ++r) {
    Value size = b.createOrFold<memref::DimOp>(buffer, body.index(r));
    auto loop = scf::ForOp::create(b, body.index(0), size, body.index(1));
    at.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  emit(at);
}

void host::clearOutput(ComputeBody &body, unsigned output) {
  Value buffer = body.outputs[output];
  forEachElement(body, buffer, [&](ArrayRef<Value> at) {
    body.store(body.identity(output, 0), buffer, at, {});
  });
}

/// The output = `sums`, and what it holds where the op adds to it.
static void roundOutput(ComputeBody &body, unsigned output, Value sums) {
  Value buffer = body.outputs[output];
  forEachElement(body, buffer, [&](ArrayRef<Value> at) {
    Value sum = body.loadSums(output, sums, at, 0, {});
    if (!body.op.getOverwrite())
      sum = body.updated(output, buffer, at, sum, {});
    body.store(sum, buffer, at, {});
  });
}

namespace {
/// Sums in f32 beside an output of halves.
struct SumsBeside {
  unsigned output;
  std::optional<LentSums> lent; ///< by a pattern
  Value sums;                   ///< once they are open

  void open(ComputeBody &body) {
    if (lent) {
      sums = lent->open();
      return;
    }
    ImplicitLocOpBuilder &b = body.b;
    Value buffer = body.outputs[output];
    auto shape = cast<MemRefType>(buffer.getType());
    SmallVector<Value> extents;
    for (int64_t r = 0; r < shape.getRank(); ++r)
      if (shape.isDynamicDim(r))
        extents.push_back(memref::DimOp::create(b, buffer, r));
    sums = memref::AllocOp::create(
        b, MemRefType::get(shape.getShape(), body.sumType(output)), extents);
  }
};
} // namespace

void host::emitBetween(ComputeBody &body, Value handle,
                       function_ref<void()> emit) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard insertion(b);
  SmallVector<SumsBeside> beside;
  Value areThere;
  for (unsigned o = 0; o < body.outputs.size(); ++o) {
    if (!body.roundsSums(o))
      continue;
    beside.push_back({o, std::nullopt, {}});
    if (!handle)
      continue;
    Value always = arith::ConstantIntOp::create(b, 1, 1);
    LentSums &lent = beside.back().lent.emplace(body, handle, o, always);
    areThere = areThere ? arith::AndIOp::create(b, areThere, lent.isThere())
                        : lent.isThere();
  }
  scf::IfOp guard;
  if (areThere) {
    guard = scf::IfOp::create(b, areThere, /*withElse=*/false);
    b.setInsertionPoint(guard.thenYield());
  }
  const SmallVector<Value> outputs = body.outputs;
  for (SumsBeside &one : beside) {
    one.open(body);
    body.outputs[one.output] = one.sums;
  }
  for (unsigned o = 0; o < outputs.size(); ++o)
    if (body.op.getOverwrite() || body.outputs[o] != outputs[o])
      clearOutput(body, o);
  emit();
  body.outputs = outputs;
  for (SumsBeside &one : beside) {
    roundOutput(body, one.output, one.sums);
    if (!one.lent)
      memref::DeallocOp::create(b, one.sums);
  }
  if (!guard)
    return;
  b.setInsertionPointAfter(guard);
  for (SumsBeside &one : beside)
    one.lent->giveBack();
}

void host::emitNonzeroPoints(ComputeBody &body, ArrayRef<Value> point,
                             Value target) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> inner(point);
  for (unsigned d = kDenseDim; d < body.dims(); ++d) {
    auto loop = scf::ForOp::create(b, body.index(0), denseExtent(body, d),
                                   body.index(1));
    inner[d] = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  SmallVector<Value> written(inner);
  if (target)
    written[kNonzeroDim] = target;
  emitPoint(body, inner, written);
}

void host::emitViewScalars(ComputeBody &body, const ViewStorage &view) {
  ImplicitLocOpBuilder &b = body.b;
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
  emitBetween(body, /*handle=*/{}, [&] {
    scf::ForOp::create(b, body.index(0), view.major, one, ValueRange(),
                       emitMajor);
  });
}
