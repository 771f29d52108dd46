//===- StoredSums.cpp - rows whose sums read stored values only -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredSums.h"
#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "RowRests.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

bool host::readsStoredOnly(ComputeBody &body, unsigned rowDim) {
  if (body.dims() != 1 + body.op.getPatternRank())
    return false;
  return llvm::all_of(body.inputMaps, [&](AffineMap map) {
    for (unsigned dim = 1; dim < body.dims(); ++dim)
      if (dim != rowDim && map.isFunctionOfDim(dim))
        return false;
    return true;
  });
}

namespace {
class StoredSum {
public:
  StoredSum(ComputeBody &body, ArrayRef<Value> point, Value begin, Value end)
      : body(body), b(body.b), point(point), begin(begin), end(end) {}

  Value of(int64_t lanes);

private:
  Value inVectors(int64_t lanes);
  Value underMasks(int64_t widest);
  std::pair<Value, Value> inSets(int64_t lanes, int64_t left);
  SmallVector<Value> addSets(Value n, int64_t lanes, ValueRange sums);
  SmallVector<Value> loop(Value from, Value to, int64_t lanes, int64_t sets);
  Value add(Value sum, Value n, int64_t lanes, Value mask = {});
  Value fold(Value sums);
  Value isAtLeast(int64_t nonzeros);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  ArrayRef<Value> point;
  Value begin, end;
};
} // namespace

/// sum (combiner)= nonzeros n, n + 1, ..., of which a mask may leave out the
/// last; a scalar without lanes.
Value StoredSum::add(Value sum, Value n, int64_t lanes, Value mask) {
  SmallVector<Value> at(point), arguments;
  at[kNonzeroDim] = n;
  for (auto [i, map] : llvm::enumerate(body.inputMaps))
    arguments.push_back(lanes && map.isFunctionOfDim(kNonzeroDim)
                            ? body.loadInputLanes(unsigned(i), at, lanes, mask)
                            : body.loadInput(unsigned(i), at));
  Value next = body.combine(0, sum, body.contributions(arguments).front());
  return mask ? arith::SelectOp::create(b, mask, next, sum).getResult() : next;
}

/// Nonzeros from n on, `lanes` for each of the sums.
SmallVector<Value> StoredSum::addSets(Value n, int64_t lanes, ValueRange sums) {
  SmallVector<Value> next;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value at = i ? arith::AddIOp::create(b, n, body.index(int64_t(i) * lanes))
                       .getResult()
                 : n;
    next.push_back(add(sum, at, lanes));
  }
  return next;
}

/// Whole steps of [from, to) on so many sums, which begin with the identity.
SmallVector<Value> StoredSum::loop(Value from, Value to, int64_t lanes,
                                   int64_t sets) {
  const SmallVector<Value> none(size_t(sets), body.identity(0, lanes));
  auto loop =
      scf::ForOp::create(b, from, to, body.index(sets * lanes), none,
                         [&](OpBuilder &, Location, Value n, ValueRange sums) {
                           scf::YieldOp::create(b, addSets(n, lanes, sums));
                         });
  return SmallVector<Value>(loop.getResults());
}

Value StoredSum::isAtLeast(int64_t nonzeros) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                               arith::SubIOp::create(b, end, begin),
                               body.index(nonzeros));
}

/// The end of what several sums take of a long row, and their sum in vectors of
/// `left` lanes.
std::pair<Value, Value> StoredSum::inSets(int64_t lanes, int64_t left) {
  constexpr int64_t kSets = core::rules::kSlotSums;
  auto sets = [&](OpBuilder &, Location) {
    Value middle = endOfWholes(body, begin, end, kSets * lanes);
    SmallVector<Value> sums = loop(begin, middle, lanes, kSets);
    while (sums.size() > 1) {
      SmallVector<Value> halves;
      for (size_t i = 0; i + 1 < sums.size(); i += 2)
        halves.push_back(body.combine(0, sums[i], sums[i + 1]));
      sums = std::move(halves);
    }
    Value sum = foldLanes(body, sums.front(), left);
    scf::YieldOp::create(b, ValueRange{middle, sum});
  };
  auto none = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, ValueRange{begin, body.identity(0, left)});
  };
  auto whole = scf::IfOp::create(b, isAtLeast(kSets * lanes), sets, none);
  return {whole.getResult(0), whole.getResult(1)};
}

/// The lanes' sum. Processors have instructions for sums of bytes, which LLVM
/// knows.
Value StoredSum::fold(Value sums) {
  if (body.plan.outputs.front().combiner == arith::AtomicRMWKind::addi)
    return vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums);
  return vector::ExtractOp::create(b, foldLanes(body, sums, 1), 0);
}

/// A row that fills a vector.
Value StoredSum::inVectors(int64_t lanes) {
  auto [from, start] = inSets(lanes, lanes);
  Value middle = endOfWholes(body, from, end, lanes);
  auto singles =
      scf::ForOp::create(b, from, middle, body.index(lanes), start,
                         [&](OpBuilder &, Location, Value n, ValueRange sums) {
                           scf::YieldOp::create(b, add(sums.front(), n, lanes));
                         });
  return fold(addAnyLastVector(
      body, singles.getResult(0), middle, end, lanes,
      [&](Value sums, Value n) { return add(sums, n, lanes); }));
}

/// A row of any length, where the processor has masks. One of more lanes takes
/// several instructions.
Value StoredSum::underMasks(int64_t widest) {
  const int64_t lanes =
      std::min<int64_t>(widest, core::rules::kMaskedBits / 32);
  auto [from, start] = inSets(widest, lanes);
  auto masks = VectorType::get({lanes}, b.getI1Type());
  auto vectors = scf::ForOp::create(
      b, from, end, body.index(lanes), start,
      [&](OpBuilder &, Location, Value n, ValueRange sums) {
        Value rest = arith::SubIOp::create(b, end, n);
        Value mask = vector::CreateMaskOp::create(b, masks, rest);
        scf::YieldOp::create(b, add(sums.front(), n, lanes, mask));
      });
  return fold(vectors.getResult(0));
}

Value StoredSum::of(int64_t lanes) {
  if (body.wideMasks)
    return underMasks(lanes);
  if (lanes < 4)
    return sumInPairs(body, begin, end, [&](Value sum, Value n) {
      return add(sum, n, /*lanes=*/0);
    });
  auto vectors = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, inVectors(lanes));
  };
  auto narrower = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, of(lanes / 4));
  };
  return scf::IfOp::create(b, isAtLeast(lanes), vectors, narrower).getResult(0);
}

Value host::sumStored(ComputeBody &body, ArrayRef<Value> point, Value begin,
                      Value end, int64_t lanes) {
  return StoredSum(body, point, begin, end).of(lanes);
}
