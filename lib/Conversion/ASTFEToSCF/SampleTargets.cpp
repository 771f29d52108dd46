//===- SampleTargets.cpp - where samples of packed nonzeros go ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleTargets.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/AtNonzeros.h"
#include "ASTFE/Runtime/ABI.h"
#include "PackedLoops.h"
#include "StoredElements.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// i1: the tables say where each slot's sample goes, if that is not in order.
static Value areThere(ComputeBody &body, Value handle) {
  ImplicitLocOpBuilder &b = body.b;
  auto countOf = [&](Value table) {
    return memref::DimOp::create(b, table, body.index(0));
  };
  Value entries = arith::AddIOp::create(b, countOf(body.targets.narrow),
                                        countOf(body.targets.wide));
  Value all = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, entries,
                                    runtimeSize(b, "astfe_rt_slots", handle));
  return arith::OrIOp::create(b, notOf(b, body.targets.areMoved), all);
}

void host::openTargets(ComputeBody &body, Value handle) {
  if (!body.op->hasAttr(kAtNonzerosAttr))
    return;
  ImplicitLocOpBuilder &b = body.b;
  SampleTargets &targets = body.targets;
  targets.narrow = packedTable(b, handle, ASTFE_SLOT_NONZERO, 32);
  targets.wide = packedTable(b, handle, ASTFE_WIDE_SLOT_NONZERO, 64);
  Value inOrder = callRuntime(b, "astfe_rt_in_order", b.getI64Type(),
                              {handle, integer(b, 0)})
                      .getResult(0);
  targets.areMoved = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inOrder,
                                           integer(b, 0));
  targets.areWide = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      memref::DimOp::create(b, targets.wide, body.index(0)), body.index(0));
  auto guard = scf::IfOp::create(b, areThere(body, handle), /*withElse=*/false);
  b.setInsertionPoint(guard.thenYield());
}

/// What a table says of `count` slots from `n` on.
static SmallVector<Value> loadEntries(ComputeBody &body, Value table, Value n,
                                      int64_t count) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> entries;
  for (int64_t l = 0; l < count; ++l) {
    Value at = l ? arith::AddIOp::create(b, n, body.index(l)).getResult() : n;
    entries.push_back(arith::IndexCastOp::create(
        b, b.getIndexType(), memref::LoadOp::create(b, table, at)));
  }
  return entries;
}

/// The nonzeros of `count` slots from `n` on, which are moved.
static SmallVector<Value> nonzerosOf(ComputeBody &body, Value n,
                                     int64_t count) {
  auto entriesOf = [&](Value table) {
    return [&body, table, n, count](OpBuilder &b, Location location) {
      scf::YieldOp::create(b, location, loadEntries(body, table, n, count));
    };
  };
  const SampleTargets &targets = body.targets;
  auto choice =
      scf::IfOp::create(body.b, targets.areWide, entriesOf(targets.wide),
                        entriesOf(targets.narrow));
  return SmallVector<Value>(choice.getResults());
}

Value host::targetOf(ComputeBody &body, Value n) {
  auto choice = scf::IfOp::create(
      body.b, body.targets.areMoved,
      [&](OpBuilder &b, Location location) {
        scf::YieldOp::create(b, location, nonzerosOf(body, n, 1));
      },
      [&](OpBuilder &b, Location location) {
        scf::YieldOp::create(b, location, n);
      });
  return choice.getResult(0);
}

void host::storeAtTargets(ComputeBody &body, Value samples, Value n) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front();
  samples = toStored(b, samples, body.elementType(output));
  auto lanes = dyn_cast<VectorType>(samples.getType());
  auto storeApart = [&](OpBuilder &, Location) {
    const SmallVector<Value> nonzeros =
        nonzerosOf(body, n, lanes ? lanes.getDimSize(0) : 1);
    for (auto [lane, nonzero] : llvm::enumerate(nonzeros)) {
      Value sample =
          lanes
              ? vector::ExtractOp::create(b, samples, int64_t(lane)).getResult()
              : samples;
      body.store(sample, output, nonzero, {});
    }
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(b, body.targets.areMoved, storeApart,
                    [&](OpBuilder &, Location) {
                      body.store(samples, output, n, {});
                      scf::YieldOp::create(b);
                    });
}
