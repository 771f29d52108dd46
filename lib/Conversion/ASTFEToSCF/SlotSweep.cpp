//===- SlotSweep.cpp - computations in one pass over a row ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotSweep.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

bool host::isSwept(ComputeOp op, const ComputePlan &plan) {
  return op.getIterationRank() == kDenseDim && plan.outputs.size() == 1 &&
         !plan.isSerial();
}

int64_t host::sweepLanes(FusedOp op, int64_t vectorBytes) {
  int64_t bits = 8;
  op.walk([&](Operation *inner) {
    for (Type type : inner->getOperandTypes())
      if (Type element = getElementTypeOrSelf(type);
          element.isIntOrFloat() && isa<MemRefType>(type))
        bits = std::max<int64_t>(bits, element.getIntOrFloatBitWidth());
  });
  return std::max<int64_t>(2, vectorBytes * 8 / bits);
}

namespace {
class SlotSweep {
public:
  SlotSweep(SweepMembers members, const RowRun &run, int64_t lanes,
            const SweepOperands &operands)
      : members(members), b(members.front()->b), run(run), lanes(lanes),
        operands(operands) {}

  void emit();

private:
  bool isReduced(ComputeBody &body) const { return !body.samples(); }
  Value load(ComputeBody &body, unsigned input, ArrayRef<Value> point,
             Value mask);
  Value gather(ComputeBody &body, unsigned input, ArrayRef<Value> point);
  void put(ComputeBody &body, Value value, Value n, Value mask);
  SmallVector<Value> step(Value n, Value mask, ValueRange sums);
  void finish(ComputeBody &body, Value sums);

  SweepMembers members;
  ImplicitLocOpBuilder &b;
  const RowRun &run;
  int64_t lanes;
  const SweepOperands &operands;
  /// What the members before have made of the nonzeros of this step.
  DenseMap<Value, Value> made;
};
} // namespace

/// The input at the columns of nonzeros from n on; behind the last one, again
/// at its.
Value SlotSweep::gather(ComputeBody &body, unsigned input,
                        ArrayRef<Value> point) {
  Value last = arith::SubIOp::create(b, run.end, body.index(1));
  return body.gatherInput(input, lanes, [&](int64_t lane) {
    SmallVector<Value> at(point);
    Value n = arith::AddIOp::create(b, point[kNonzeroDim], body.index(lane));
    at[run.columnDim] = run.columns.at(b, arith::MinUIOp::create(b, n, last));
    return at;
  });
}

Value SlotSweep::load(ComputeBody &body, unsigned input, ArrayRef<Value> point,
                      Value mask) {
  Value value = body.op.getInputs()[input];
  if (Value known = made.lookup(value))
    return known;
  AffineMap map = body.inputMaps[input];
  if (map.isFunctionOfDim(kNonzeroDim))
    return body.loadInputLanes(input, point, lanes,
                               operands.isScratch(value) ? Value() : mask);
  if (map.isFunctionOfDim(run.columnDim))
    return gather(body, input, point);
  return body.loadInput(input, point);
}

/// What a member has made of nonzeros from n on, where others look for it.
void SlotSweep::put(ComputeBody &body, Value value, Value n, Value mask) {
  Value output = body.op.getOutputs().front();
  const bool isScratch = operands.isScratch(output);
  if (isScratch)
    mask = {};
  if (!body.op.getOverwrite()) {
    Value before = made.lookup(output);
    value = before ? body.combine(0, before, value)
                   : body.updated(0, body.outputs.front(), n, value, mask);
  }
  made[output] = body.asRead(0, value);
  if (!isScratch || operands.isReadLater(output))
    body.store(value, body.outputs.front(), n, mask);
}

SmallVector<Value> SlotSweep::step(Value n, Value mask, ValueRange sums) {
  made.clear();
  SmallVector<Value> result;
  for (const std::unique_ptr<ComputeBody> &each : members) {
    ComputeBody &body = *each;
    SmallVector<Value> point(body.dims()), arguments;
    point[kNonzeroDim] = n;
    point[run.rowDim] = run.row;
    for (unsigned i = 0; i < body.inputs.size(); ++i)
      arguments.push_back(load(body, i, point, mask));
    Value value = body.toLanes(body.contributions(arguments).front(), lanes);
    if (!isReduced(body)) {
      put(body, value, n, mask);
      continue;
    }
    if (mask)
      value = arith::SelectOp::create(b, mask, value, body.identity(0, lanes));
    result.push_back(body.combine(0, sums[result.size()], value));
  }
  return result;
}

/// What a row has summed up, where it belongs.
void SlotSweep::finish(ComputeBody &body, Value sums) {
  Value output = body.op.getOutputs().front();
  Value sum = vector::ExtractOp::create(b, foldLanes(body, sums, 1), 0);
  Value held = operands.bufferOf(output);
  if (held && isa<MemRefType>(held.getType())) {
    if (body.overwrites)
      storeRow(body, body.outputs.front(), run.outputRow(), ColumnTile(), sum);
    else
      updateRow(body, body.outputs.front(), run.outputRow(), ColumnTile(), sum);
    return;
  }
  operands.setKey(
      output,
      body.asRead(0, body.overwrites ? sum : body.combine(0, held, sum)));
}

void SlotSweep::emit() {
  ComputeBody &first = *members.front();
  SmallVector<Value> sums;
  for (const std::unique_ptr<ComputeBody> &body : members)
    if (isReduced(*body))
      sums.push_back(body->identity(0, lanes));
  Value middle = endOfWholes(first, run.begin, run.end, lanes);
  auto whole = [&](OpBuilder &, Location, Value n, ValueRange carried) {
    scf::YieldOp::create(b, step(n, {}, carried));
  };
  auto wholes =
      scf::ForOp::create(b, run.begin, middle, first.index(lanes), sums, whole);
  Value some =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, middle, run.end);
  auto rest = [&](OpBuilder &, Location) {
    Value mask = vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()),
        arith::SubIOp::create(b, run.end, middle).getResult());
    scf::YieldOp::create(b, step(middle, mask, wholes.getResults()));
  };
  auto none = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, wholes.getResults());
  };
  auto all = sums.empty() ? scf::IfOp::create(b, some, rest)
                          : scf::IfOp::create(b, some, rest, none);
  unsigned number = 0;
  for (const std::unique_ptr<ComputeBody> &body : members)
    if (isReduced(*body))
      finish(*body, all.getResult(number++));
}

void host::emitSweep(SweepMembers members, const RowRun &run, int64_t lanes,
                     const SweepOperands &operands) {
  SlotSweep(members, run, lanes, operands).emit();
}
