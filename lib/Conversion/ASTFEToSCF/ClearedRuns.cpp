//===- ClearedRuns.cpp - elements that are cleared side by side -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClearedRuns.h"
#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The product of the extents from `first` on.
static Value elementsFrom(ComputeBody &body, int64_t first) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front(), all;
  const int64_t rank = cast<MemRefType>(output.getType()).getRank();
  for (int64_t k = first; k < rank; ++k) {
    Value extent = b.createOrFold<memref::DimOp>(output, body.index(k));
    all = all ? b.createOrFold<arith::MulIOp>(all, extent) : extent;
  }
  return all ? all : body.index(1);
}

Value host::sideBySide(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front();
  auto type = cast<MemRefType>(output.getType());
  if (!type.getLayout().isIdentity())
    return {};
  Value all = elementsFrom(body, 0);
  return memref::ReinterpretCastOp::create(
      b,
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      output, OpFoldResult(b.getIndexAttr(0)), ArrayRef<OpFoldResult>{all},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

void host::forEachStep(ComputeBody &body, Value from, Value to, int64_t step,
                       function_ref<void(Value)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  scf::ForOp::create(b, from, to, body.index(step), ValueRange(),
                     [&](OpBuilder &, Location, Value at, ValueRange) {
                       emit(at);
                       scf::YieldOp::create(b);
                     });
}

void host::forEachVector(ComputeBody &body, Value begin, Value end,
                         int64_t lanes,
                         function_ref<void(Value, int64_t)> emit) {
  Value middle = endOfWholes(body, begin, end, lanes);
  forEachStep(body, begin, middle, lanes, [&](Value at) { emit(at, lanes); });
  forEachStep(body, middle, end, 1, [&](Value at) { emit(at, 1); });
}

void host::clearUnderMask(ComputeBody &body, Value flat, Value begin, Value end,
                          int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  Value mask = vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()),
      arith::SubIOp::create(b, end, begin).getResult());
  body.store(body.identity(0, lanes), flat, begin, mask);
}

RunCleaner::RunCleaner(ComputeBody &body, int64_t lanes, RunUse use)
    : body(body), b(body.b), flat(sideBySide(body)), lanes(lanes), use(use) {
  if (!flat)
    return;
  if (body.wideMasks)
    this->lanes = std::max(lanes, widestLanes(body, core::rules::kLineBytes));
  const unsigned bits = body.elementType(flat).getIntOrFloatBitWidth();
  elementBytes = std::max<int64_t>(1, bits / 8);
  // What is serial is a step of somebody's loop, which is small.
  if (!body.serial)
    streamed = streamedRun(body, flat, use);
}

Value RunCleaner::elementsBefore(Value row) {
  return b.createOrFold<arith::MulIOp>(row, elementsFrom(body, 1));
}

/// The last elements of a run, all of a short one, are one vector under a mask:
/// a loop over single ones, of a number that nobody foresees, takes longer.
/// Where masks are branches there is one.
void RunCleaner::clearCached(Value begin, Value end) {
  if (body.wideMasks) {
    Value middle = endOfWholes(body, begin, end, lanes);
    forEachStep(body, begin, middle, lanes, [&](Value at) {
      body.store(body.identity(0, lanes), flat, at, {});
    });
    return clearUnderMask(body, flat, middle, end, lanes);
  }
  forEachVector(body, begin, end, lanes, [&](Value at, int64_t count) {
    body.store(body.identity(0, count == 1 ? 0 : count), flat, at, {});
  });
}

/// The first element from `begin` on that begins a line, of those up to `end`.
Value RunCleaner::lineFrom(Value begin, Value end) {
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, flat);
  Value bytes = arith::MulIOp::create(b, begin, body.index(elementBytes));
  Value behind = arith::SubIOp::create(b, body.index(0),
                                       arith::AddIOp::create(b, start, bytes));
  Value missing =
      arith::AndIOp::create(b, behind, body.index(core::rules::kLineBytes - 1));
  Value elements = arith::DivUIOp::create(b, missing, body.index(elementBytes));
  return arith::MinUIOp::create(b, arith::AddIOp::create(b, begin, elements),
                                end);
}

void RunCleaner::clearPastCaches(Value begin, Value end) {
  auto clearOne = [&](Value at) {
    body.store(body.identity(0, 0), flat, at, {});
  };
  Value line = lineFrom(begin, end);
  Value middle = endOfWholes(body, line, end, lanes);
  forEachStep(body, begin, line, 1, clearOne);
  forEachStep(body, line, middle, lanes, [&](Value at) {
    body.storePastCaches(body.identity(0, lanes), flat, at);
  });
  forEachStep(body, middle, end, 1, clearOne);
}

/// Whether [begin, end) goes past the caches, of so many rows. Unless rows are
/// lines, it begins and ends with single elements, of up to a line each, and
/// gaps of short rows that are not long are joined beyond written ones, whose
/// lines stay near (docs/Algorithms/Packing.md, Starts).
Value RunCleaner::paysPastCaches(Value rows, Value begin, Value end) {
  Value rowBytes = b.createOrFold<arith::MulIOp>(elementsFrom(body, 1),
                                                 body.index(elementBytes));
  Value behindLine = b.createOrFold<arith::AndIOp>(
      rowBytes, body.index(core::rules::kLineBytes - 1));
  Value areLines = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                 behindLine, body.index(0));
  if (matchPattern(areLines, m_One()))
    return streamed.isOn;
  Value isLong = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, arith::SubIOp::create(b, end, begin),
      body.index(core::rules::kStreamedRun / elementBytes));
  if (use == RunUse::Gap) {
    Value isWide =
        b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ugt, rowBytes,
                                      body.index(core::rules::kSortedBytes));
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, rows,
                                        body.index(core::rules::kLongGap));
    isOne = b.createOrFold<arith::OrIOp>(isOne, isWide);
    isLong = b.createOrFold<arith::AndIOp>(isLong, isOne);
  }
  isLong = b.createOrFold<arith::OrIOp>(isLong, areLines);
  return arith::AndIOp::create(b, streamed.isOn, isLong);
}

void RunCleaner::clear(Value first, Value end) {
  Value from = elementsBefore(first), to = elementsBefore(end);
  if (!streamed)
    return clearCached(from, to);
  Value rows = arith::SubIOp::create(b, end, first);
  scf::IfOp::create(
      b, paysPastCaches(rows, from, to),
      [&](OpBuilder &, Location) {
        clearPastCaches(from, to);
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        clearCached(from, to);
        scf::YieldOp::create(b);
      });
}

void RunCleaner::finish() { drain(body, streamed); }
