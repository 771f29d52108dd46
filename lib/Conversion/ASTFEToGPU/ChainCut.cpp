//===- ChainCut.cpp - rows that are too long for a warp -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As RowPieces.h cuts them: worker k has the k-th piece of all nonzeros, and of
// long rows what is in it, which it keeps as a row of partial results.
//
// Partial results count from the maximum of their own piece,
// and are scaled again as a warp's sums are when its maximum grows. Values of
// the key that later sweeps read stand in the row's first partial results, too.
//
//===----------------------------------------------------------------------===//

#include "ChainEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

static int64_t countReductions(const ChainKernelPlan &plan) {
  return llvm::count_if(plan.chain.steps, [](const ChainStep &step) {
    return step.role == ChainRole::Reduction;
  });
}

/// Partial results of the key and, for later sweeps, what they make together.
/// Rows behind them begin where vectors do.
int64_t ChainKernelPlan::partialScalars() const {
  return llvm::alignTo(countReductions(*this) * (chain.sweeps > 1 ? 2 : 1),
                       16 / kernel.elementBytes());
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Index: where the partial results of the part begin that begins at a nonzero.
Value ChainEmitter::partialsOf(Value first) {
  return partialAt(pieces->partialRow(first));
}

/// Index: where a row of partial results begins.
Value ChainEmitter::partialAt(Value number) {
  Value width = e.index(plan.partialScalars());
  for (const ChainStep &step : plan.chain.steps)
    if (step.role == ChainRole::Product)
      width = e.add(width, pitchOf(step.written()));
  if (head) // Those of each head are one after the other.
    number = e.add(number, e.mul(head, partialRows));
  return e.mul(e.toIndex(number), width);
}

/// Index: where in such a row the sums of a step begin.
Value ChainEmitter::partialOffset(const ChainStep &step) {
  int64_t scalars = 0;
  Value columns = e.index(plan.partialScalars());
  for (const ChainStep &each : plan.chain.steps) {
    const bool isRow = each.role == ChainRole::Product;
    if (each.op == step.op)
      return isRow ? columns : e.index(scalars);
    if (isRow)
      columns = e.add(columns, pitchOf(each.written()));
    else
      scalars += each.role == ChainRole::Reduction;
  }
  llvm_unreachable("a step of the chain");
}

/// Index: where the value of the key stands, when it is complete.
Value ChainEmitter::keyOffset(const ChainStep &step) {
  return e.add(partialOffset(step), e.index(countReductions(plan)));
}

void ChainEmitter::storePartials(Steps steps, const Values &sums) {
  Value first = partialsOf(begin);
  forEachSum(steps, sums, [&](const ChainStep &step, const Values &own) {
    Value at = e.add(first, partialOffset(step));
    if (step.role == ChainRole::Reduction)
      return storeScalar(overLanes(step, own.front()), partials, at);
    Value extent = pitchOf(step.written());
    for (unsigned v = 0; v < plan.vectors; ++v) {
      Value column = columnAt(v);
      Value isThere = e.compare(arith::CmpIPredicate::ult, column, extent);
      e.branch(isThere, [&] {
        storeVector(ArrayRef(own).slice(v * plan.vector, plan.vector), partials,
                    e.add(at, column));
      });
    }
  });
}

/// What earlier sweeps have made of the row.
void ChainEmitter::loadKeys(Value rowBegin) {
  keys.clear();
  Value at;
  for (const ChainStep &step : plan.chain.steps) {
    if (step.role != ChainRole::Reduction || step.sweep >= part.sweep)
      continue;
    at = at ? at : partialsOf(rowBegin);
    keys[step.written()] = e.load(partials, e.add(at, keyOffset(step)));
  }
}

/// What of a row (i32) lies in this worker's piece, [first, end), and whether
/// anything may: the row at the piece's beginning or that at its end.
Values ChainEmitter::rowOfPiece(Value worker, Value isTail) {
  pieces->open(worker);
  Value head = pieces->head(), tail = pieces->tail();
  Value isOther = e.compare(arith::CmpIPredicate::ne, head, tail);
  Value isNew = e.select(isTail, isOther, pieces->some);
  return {e.select(isTail, tail, head), pieces->begin, pieces->end,
          arith::AndIOp::create(b, pieces->some, isNew)};
}

/// The worker's rows that are not cut, but in later sweeps, and the parts that
/// it has of others: one loop, so that there is one copy of the code.
void ChainEmitter::emitPieces(Value worker) {
  Value from = e.i32(0), to = from, yes = arith::ConstantIntOp::create(b, 1, 1);
  if (part.kind == ChainPart::Cut)
    std::tie(from, to) = RowShares(e, workers, rows).rowsOf(worker);
  e.loop(from, e.add(to, e.i32(2)), e.i32(1), [&](Value item) {
    isPiece = e.compare(arith::CmpIPredicate::sge, item, to);
    Value isTail = e.compare(arith::CmpIPredicate::sgt, item, to);
    // Found here: the loop over the nonzeros has no registers to spare.
    Values found = e.branch(isPiece, {item, e.index(0), e.index(-1), yes},
                            [&] { return rowOfPiece(worker, isTail); });
    row = e.toIndex(found[0]);
    auto [rowBegin, rowEnd] = boundsOfRow();
    Value isOther = e.compare(arith::CmpIPredicate::ne, isPiece,
                              pieces->isLong(rowBegin, rowEnd));
    Value wanted =
        e.select(isOther, arith::ConstantIntOp::create(b, 0, 1), found[3]);
    e.branch(wanted, [&, rowBegin = rowBegin, rowEnd = rowEnd] {
      begin = e.uniform(arith::MaxUIOp::create(b, rowBegin, found[1]));
      Value end = arith::MinUIOp::create(b, rowEnd, found[2]);
      length = e.uniform(e.toI32(e.sub(end, begin)));
      overTiles([&] {
        loadKeys(rowBegin);
        emitSweeps(part.sweep);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

/// Sums with the partial results of one more piece.
Values ChainEmitter::addPartials(ArrayRef<const ChainStep *> steps, Value at,
                                 const Values &sums) {
  Values result;
  DenseMap<Operation *, Value> factors; // of what is added
  forEachSum(steps, sums, [&](const ChainStep &step, Values own) {
    Values more = loadPartials(step, e.add(at, partialOffset(step)));
    if (isRunning(step)) {
      Value now = combine(step, own.front(), more.front());
      moveReference(step, more.front(), now);
      for (Operation *inner : plan.chain.exponentialsOf(step))
        factors[inner] = references[inner].factor;
      moveReference(step, own.front(), now);
      result.push_back(now);
      return;
    }
    own = rescaled(step, std::move(own));
    for (auto [sum, value] : llvm::zip_equal(own, more)) {
      if (step.scale)
        value = arith::MulFOp::create(b, value,
                                      factors.lookup(step.scale.exponential));
      result.push_back(combine(step, sum, value));
    }
  });
  return result;
}

/// What a lane has of a step's partial results; nothing beyond the columns is
/// read.
Values ChainEmitter::loadPartials(const ChainStep &step, Value at) {
  if (step.role == ChainRole::Reduction)
    return {e.load(partials, at)};
  Values loaded;
  for (unsigned v = 0; v < plan.vectors; ++v) {
    Value vector =
        loadVector(partials, e.add(at, loadedColumn(step, v)), plan.vector);
    for (unsigned u = 0; u < plan.vector; ++u)
      loaded.push_back(elementOf(vector, u));
  }
  return loaded;
}

void ChainEmitter::combineRow(Value worker, Value rowBegin, Value rowEnd) {
  const SmallVector<const ChainStep *> steps = stepsOf(part.sweep);
  sweep = part.sweep;
  loadKeys(rowBegin);
  Value count = pieces->piecesTo(worker, rowEnd);
  Value first = pieces->partialRow(worker, rowBegin, pieces->begin);
  Values sums = e.loop(
      e.i32(0), count, e.i32(1), identities(steps),
      [&](Value number, Values sums) {
        Value isFirst = e.compare(arith::CmpIPredicate::eq, number, e.i32(0));
        Value later = pieces->laterRow(e.add(worker, number));
        return addPartials(steps, partialAt(e.select(isFirst, first, later)),
                           sums);
      });
  close(steps, sums);
  if (sweep + 1 == plan.chain.sweeps)
    return;
  Value at = partialAt(first);
  for (const ChainStep *step : steps)
    if (step->role == ChainRole::Reduction)
      storeScalar(keys.lookup(step->written()), partials,
                  e.add(at, keyOffset(*step)));
}

void ChainEmitter::emitCombine(Value worker) {
  pieces->open(worker);
  e.branch(pieces->some, [&] {
    row = e.toIndex(pieces->tail());
    auto [rowBegin, rowEnd] = boundsOfRow();
    Value begins =
        e.compare(arith::CmpIPredicate::uge, rowBegin, pieces->begin);
    Value wanted =
        arith::AndIOp::create(b, begins, pieces->isLong(rowBegin, rowEnd));
    e.branch(wanted, [&, rowBegin = rowBegin, rowEnd = rowEnd] {
      begin = rowBegin;
      length = e.toI32(e.sub(rowEnd, rowBegin));
      overTiles([&] { combineRow(worker, rowBegin, rowEnd); });
    });
  });
}

} // namespace astfe::gpukernel
