//===- CutRows.cpp - long rows of a chain, by all workers -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that is a large part of a matrix is one worker's, while others wait.
// Such rows run after all others, one after the other, in pieces that do not
// depend on the number of workers. What a piece reduces, as a maximum, a sum,
// or a row of the output, is a row of partial results; when all pieces are
// done, these are combined in their order, and the next step reads the whole.
// Softmax with its products takes three steps:
//
//   s = <Q, K>, max  |  e = exp(s - max), sum  |  p = e / sum, O += p V
//
// Locals by nonzero are as long as the row. Combined in order, the same
// operands give the same bits with any number of workers; and since maxima are
// of the whole row before anything is subtracted, nothing has to be scaled
// again.
//
//===----------------------------------------------------------------------===//

#include "FusedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

using core::rules::kCutNonzeros, core::rules::kCutShare;

/// Nonzeros of a piece: whole vectors, but for the last one's.
static constexpr int64_t kPiece = core::rules::kRunNonzeros;
static_assert(kPiece % (core::rules::kMaskedBits / 8) == 0,
              "no two pieces share a vector of bytes");

CutRule FusedRows::cutRule() {
  if (options.serial)
    return {};
  Value count = loadIndex(b, view.positions, view.major);
  Value share = arith::CeilDivUIOp::create(b, count, index(kCutShare));
  Value least = arith::MaxUIOp::create(b, share, index(kCutNonzeros));
  Value longest = longestRow(index(0), view.major);
  return {least,
          arith::CmpIOp::create(b, arith::CmpIPredicate::uge, longest, least)};
}

void FusedRows::emitCutRows(const CutRule &cut) {
  if (!cut.least)
    return;
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  auto emitIfLong = [&](OpBuilder &, Location, Value row, ValueRange) {
    Value begin = loadIndex(b, view.positions, row);
    Value end =
        loadIndex(b, view.positions, arith::AddIOp::create(b, row, one));
    Value length = arith::SubIOp::create(b, end, begin);
    Value isLong =
        arith::CmpIOp::create(b, arith::CmpIPredicate::uge, length, cut.least);
    scf::IfOp::create(b, isLong, [&](OpBuilder &, Location) {
      emitCutRow(openRow(row, begin, length));
      scf::YieldOp::create(b);
    });
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(b, cut.some, [&](OpBuilder &, Location) {
    scf::ForOp::create(b, zero, view.major, one, ValueRange(), emitIfLong);
    scf::YieldOp::create(b);
  });
}

/// A step ends before what it reduces is read or added to.
SmallVector<ChainStep> FusedRows::stepsOf() const {
  SmallVector<ChainStep> steps(1);
  auto isReduced = [&](Value operand) {
    return llvm::any_of(steps.back().reductions, [&](ComputeOp compute) {
      return compute.getOutputs().front() == operand;
    });
  };
  for (Operation *member : members) {
    auto compute = dyn_cast<ComputeOp>(member);
    const bool isEpilogue = !compute;
    if (isEpilogue || llvm::any_of(member->getOperands(), isReduced))
      steps.emplace_back();
    steps.back().members.push_back(member);
    const bool reduces =
        compute &&
        plans.find(compute)->second.outputs.front().protocol != Protocol::Once;
    if (reduces)
      steps.back().reductions.push_back(compute);
    if (isEpilogue)
      steps.emplace_back();
  }
  return steps;
}

void FusedRows::emitCutRow(const ChainRow &row) {
  allocateScratch(row.length);
  Value pieces = arith::CeilDivUIOp::create(
      b, row.length, arith::ConstantIndexOp::create(b, kPiece));
  for (const ChainStep &step : stepsOf()) {
    if (step.members.empty())
      continue;
    if (isa<linalg::GenericOp>(step.members.front()))
      emitMembers(step.members, row);
    else
      emitStep(step, row, pieces);
  }
  freeScratch();
}

ChainRow FusedRows::openPiece(const ChainRow &row, Value piece) {
  Value each = arith::ConstantIndexOp::create(b, kPiece);
  Value before = arith::MulIOp::create(b, piece, each);
  Value left = arith::SubIOp::create(b, row.length, before);
  Value length = arith::MinUIOp::create(b, left, each);
  for (LocalOp local : op.getBody().getOps<LocalOp>())
    if (Value value = local.getResult(); isScratch(value))
      buffers[value] = fromSlot(buffers.lookup(value), before, length);
  ChainRow opened =
      openRow(row.row, arith::AddIOp::create(b, row.begin, before), length);
  opened.piece = piece;
  return opened;
}

/// A buffer of sums like the output's, with a row for each piece.
Value FusedRows::partialsOf(ComputeOp compute, Value pieces) {
  Value output = compute.getOutputs().front();
  AffineMap map = compute.getMapArray()[compute.getInputs().size()];
  SmallVector<int64_t> extents;
  SmallVector<Value> sizes;
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    extents.push_back(ShapedType::kDynamic);
    sizes.push_back(map.getDimPosition(r) < kDenseDim
                        ? pieces
                        : b.createOrFold<memref::DimOp>(
                              buffers.lookup(output),
                              arith::ConstantIndexOp::create(b, r)));
    if (auto known = getConstantIntValue(sizes.back())) {
      extents.back() = *known;
      sizes.pop_back();
    }
  }
  ComputeBody body =
      bodyOf(compute, [&](Value value) { return buffers.lookup(value); });
  auto type = MemRefType::get(extents, body.sumType(0));
  return memref::AllocOp::create(b, type, sizes,
                                 b.getI64IntegerAttr(kLineBytes));
}

/// What the pieces have reduced, in their order, where it belongs.
void FusedRows::combine(ComputeOp compute, const ChainRow &row, Value partials,
                        Value pieces) {
  Value output = compute.getOutputs().front();
  ComputeBody whole =
      bodyOf(compute, [&](Value value) { return buffers.lookup(value); });
  ComputeBody parts = bodyOf(compute, [&](Value value) {
    return value == output ? partials : buffers.lookup(value);
  });
  const bool isHeld = isKeyLocal(output);
  Value buffer = isHeld ? partials : parts.outputs.front();
  Value one = whole.index(1);
  auto sumAt = [&](ValueRange columns) -> Value {
    auto load = [&](Value piece) -> Value {
      SmallVector<Value> at{piece};
      llvm::append_range(at, columns);
      return whole.loadSums(0, buffer, at, 0, {});
    };
    auto add = [&](OpBuilder &, Location, Value piece, ValueRange sum) {
      scf::YieldOp::create(b, whole.combine(0, sum[0], load(piece)));
    };
    return scf::ForOp::create(b, one, pieces, one, load(whole.index(0)), add)
        .getResult(0);
  };
  if (isHeld) {
    Value sum = sumAt({}), held = buffers.lookup(output);
    buffers[output] =
        whole.asRead(0, whole.overwrites ? sum : whole.combine(0, held, sum));
    return;
  }
  auto put = [&](ValueRange columns) {
    SmallVector<Value> at{row.row};
    llvm::append_range(at, columns);
    Value sum = sumAt(columns);
    if (whole.overwrites)
      whole.store(sum, whole.outputs.front(), at, {});
    else
      whole.update(0, whole.outputs.front(), at, sum);
  };
  if (compute.getIterationRank() == kDenseDim)
    return put({});
  scf::ForOp::create(b, whole.index(0), denseColumns(whole), one, ValueRange(),
                     [&](OpBuilder &, Location, Value column, ValueRange) {
                       put(column);
                       scf::YieldOp::create(b);
                     });
}

void FusedRows::emitStep(const ChainStep &step, const ChainRow &row,
                         Value pieces) {
  SmallVector<ComputeOp> reductions = step.reductions;
  SmallVector<Value> partials;
  for (ComputeOp compute : reductions)
    partials.push_back(partialsOf(compute, pieces));
  auto emitPiece = [&](OpBuilder &, Location, ValueRange piece) {
    auto whole = buffers;
    for (auto [compute, rows] : llvm::zip(reductions, partials)) {
      buffers[compute.getOutputs().front()] = rows;
      partial.insert(compute.getOutputs().front());
    }
    emitMembers(step.members, openPiece(row, piece[0]));
    partial.clear();
    buffers = std::move(whole);
  };
  scf::ParallelOp::create(
      b, ValueRange(arith::ConstantIndexOp::create(b, 0)), pieces,
      ValueRange(arith::ConstantIndexOp::create(b, 1)), emitPiece);
  for (auto [compute, rows] : llvm::zip(reductions, partials)) {
    combine(compute, row, rows, pieces);
    memref::DeallocOp::create(b, rows);
  }
}
