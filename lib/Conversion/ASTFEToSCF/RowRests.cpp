//===- RowRests.cpp - what is left of a row behind its vectors ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowRests.h"
#include "RowEmitters.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value host::addLastVector(ComputeBody &body, Value sums, Value middle,
                          Value end, int64_t lanes, AddNonzeros addVector) {
  ImplicitLocOpBuilder &b = body.b;
  Value n = arith::SubIOp::create(b, end, body.index(lanes));
  Value taken = vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()),
      arith::SubIOp::create(b, middle, n).getResult());
  Value added = addVector(sums, n);
  return arith::SelectOp::create(b, taken, sums, added);
}

/// `emit` where there are nonzeros in [middle, end), else the sums.
static Value ifAny(ComputeBody &body, Value sums, Value middle, Value end,
                   function_ref<Value()> emit) {
  ImplicitLocOpBuilder &b = body.b;
  auto some = [&](OpBuilder &, Location) { scf::YieldOp::create(b, emit()); };
  auto none = [&](OpBuilder &, Location) { scf::YieldOp::create(b, sums); };
  Value areSome =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, middle, end);
  return scf::IfOp::create(b, areSome, some, none).getResult(0);
}

Value host::addAnyLastVector(ComputeBody &body, Value sums, Value middle,
                             Value end, int64_t lanes, AddNonzeros addVector) {
  return ifAny(body, sums, middle, end, [&] {
    return addLastVector(body, sums, middle, end, lanes, addVector);
  });
}

Value host::sumInPairs(ComputeBody &body, Value begin, Value end,
                       AddNonzeros addOne) {
  ImplicitLocOpBuilder &b = body.b;
  Value middle = endOfWholes(body, begin, end, 2);
  auto step = [&](OpBuilder &, Location, Value n, ValueRange sums) {
    Value next = arith::AddIOp::create(b, n, body.index(1));
    Value first = addOne(sums[0], n);
    scf::YieldOp::create(b, ValueRange{first, addOne(sums[1], next)});
  };
  Value none = body.identity(0, 0);
  auto pairs = scf::ForOp::create(b, begin, middle, body.index(2),
                                  ValueRange{none, none}, step);
  Value sum = body.combine(0, pairs.getResult(0), pairs.getResult(1));
  return ifAny(body, sum, middle, end, [&] { return addOne(sum, middle); });
}
