//===- ChainRows.cpp - rows of a chain, and what is known at their ends ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace astfe::gpukernel {

ChainEmitter::ChainEmitter(OpBuilder &builder, Location loc,
                           const ChainKernelPlan &plan, ChainPart part)
    : e(builder, loc, plan.kernel, Variant()), b(e.b), plan(plan), part(part) {}

void ChainEmitter::bind(ArrayRef<ChainArgument> arguments, ValueRange values) {
  FusedOp op = plan.op;
  if (plan.heads)
    head = e.toI32(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  for (auto [argument, value] : llvm::zip_equal(arguments, values)) {
    Value origin = op.getBody().getArgument(1 + argument.operand);
    Value bound = argument.isPointer ? viewOf(b, value) : Value(value);
    switch (argument.role) {
    case ChainArgumentRole::Positions:
      e.tables[Role::Positions] = bound;
      break;
    case ChainArgumentRole::Coordinates:
      e.tables[Role::Coordinates] = bound;
      break;
    case ChainArgumentRole::Operand:
      if (Value offset = offsets.lookup(origin))
        bound = e.viewFrom(bound, offset);
      buffers[origin] = bound;
      break;
    case ChainArgumentRole::Extent:
      pitches[origin] = e.toIndex(bound);
      break;
    case ChainArgumentRole::Offset:
      offsets[origin] = e.toIndex(bound);
      break;
    case ChainArgumentRole::Stride:
      strides[origin] = e.toIndex(bound);
      break;
    case ChainArgumentRole::HeadRows:
      headRows[origin] = bound;
      break;
    case ChainArgumentRole::Workers:
      workers = bound;
      break;
    case ChainArgumentRole::Rows:
      rows = bound;
      break;
    case ChainArgumentRole::Partials:
      partials = bound;
      break;
    case ChainArgumentRole::PartialRows:
      partialRows = bound;
      break;
    case ChainArgumentRole::Least:
      least = bound;
      break;
    case ChainArgumentRole::Piece:
      piece = bound;
      break;
    }
  }
}

bool ChainEmitter::isRunning(const ChainStep &step) const {
  return step.role == ChainRole::Reduction &&
         !plan.chain.exponentialsOf(step).empty();
}

unsigned ChainEmitter::sumsOf(const ChainStep &step) const {
  return step.role == ChainRole::Product ? plan.vector * plan.vectors : 1;
}

/// Those that the sweep reduces or stores.
SmallVector<const ChainStep *> ChainEmitter::stepsOf(unsigned sweep) const {
  SmallVector<const ChainStep *> result;
  for (const ChainStep &step : plan.chain.steps)
    if (step.sweep == sweep &&
        (!step.isOfSlot() || !step.written().getDefiningOp<LocalOp>()))
      result.push_back(&step);
  return result;
}

Values ChainEmitter::identities(Steps steps) {
  Values result;
  for (const ChainStep *step : steps)
    if (!step->isOfSlot())
      result.append(sumsOf(*step), identity(*step));
  return result;
}

void ChainEmitter::forEachSum(
    Steps steps, const Values &sums,
    function_ref<void(const ChainStep &, const Values &)> run) const {
  ArrayRef<Value> left = sums;
  for (const ChainStep *step : steps) {
    if (step->isOfSlot())
      continue;
    Values own = llvm::to_vector(left.take_front(sumsOf(*step)));
    left = left.drop_front(own.size());
    run(*step, own);
  }
}

Values ChainEmitter::emitChunk(unsigned sweep, Value first, Values sums) {
  made.clear();
  count = e.min(e.sub(length, first), e.i32(kLanes));
  valid = e.compare(arith::CmpIPredicate::ult, own, count);
  Value last = e.sub(count, e.i32(1));
  Value at = e.add(first, e.select(valid, own, last));
  slot = e.add(begin, e.toIndex(at));
  column = e.toI32(e.table(Role::Coordinates, slot));
  Values result;
  ArrayRef<Value> left = sums;
  for (const ChainStep *step : stepsOf(sweep)) {
    if (step->isOfSlot()) {
      storeSlot(*step);
      continue;
    }
    Values own = llvm::to_vector(left.take_front(sumsOf(*step)));
    left = left.drop_front(own.size());
    llvm::append_range(result, step->role == ChainRole::Product
                                   ? multiply(*step, std::move(own))
                                   : reduce(*step, std::move(own)));
  }
  return result;
}

static Value divisorOf(const ChainStep &step) {
  return step.scale.division ? step.scale.division->getOperand(1) : Value();
}

/// Rounded where the buffer has halves.
Value ChainEmitter::asStored(Value value, Value buffer) {
  Type element = getElementTypeOrSelf(buffer);
  if (value.getType() == element)
    return value;
  return arith::TruncFOp::create(b, element, value);
}

void ChainEmitter::storeScalar(Value value, Value buffer, Value at) {
  Value leads = e.compare(arith::CmpIPredicate::eq, e.lane, e.i32(0));
  e.branch(leads, [&] {
    memref::StoreOp::create(b, asStored(value, buffer), buffer, ValueRange{at});
  });
}

void ChainEmitter::storeVector(ArrayRef<Value> sums, Value buffer, Value at) {
  Type element = getElementTypeOrSelf(buffer);
  Values values = llvm::map_to_vector(
      sums, [&](Value sum) { return asStored(sum, buffer); });
  if (values.size() == 1) {
    memref::StoreOp::create(b, values.front(), buffer, ValueRange{at});
    return;
  }
  auto type = VectorType::get(int64_t(values.size()), element);
  Value whole = vector::FromElementsOp::create(b, type, values);
  vector::StoreOp::create(
      b, whole, buffer, ValueRange{at}, /*nontemporal=*/false,
      llvm::MaybeAlign(values.size() * element.getIntOrFloatBitWidth() / 8));
}

/// What all lanes have reduced; maxima so far are that already.
Value ChainEmitter::overLanes(const ChainStep &step, Value sum) {
  if (isRunning(step))
    return sum;
  return across(sum, 1, kLanes, step.plan.outputs.front().combiner);
}

void ChainEmitter::closeReduction(const ChainStep &step, Value sum) {
  auto keyOf = [&](Value origin) { return keys.lookup(origin); };
  if (part.kind != ChainPart::Combine)
    sum = overLanes(step, sum);
  Value divisor = divisorOf(step);
  if (divisor)
    divisor = ofKeys(step.scale.division, divisor, keyOf);
  Value origin = step.written();
  keys[origin] = sum = completed(step, sum, divisor);
  for (Operation *inner : plan.chain.exponentialsOf(step))
    lastReferences[inner] = ofKeys(inner, referenceOf(inner), keyOf);
  for (Operation *follower : step.followers) {
    auto epilogue = cast<linalg::GenericOp>(follower);
    Values computed{sum}; // what it holds is not read
    applyEpilogue(epilogue, Value(), computed);
    Value output = FusedOp::getOrigin(epilogue.getDpsInits().front());
    storeScalar(computed.front(), buffers.lookup(output), placeOf(output, row));
  }
  if (origin.getDefiningOp<LocalOp>())
    return;
  Values stored{sum};
  for (Operation *epilogue : step.epilogues)
    applyEpilogue(cast<linalg::GenericOp>(epilogue), Value(), stored);
  storeScalar(stored.front(), buffers.lookup(origin), placeOf(origin, row));
}

Value ChainEmitter::widened(Value value) {
  if (value.getType() == plan.chain.element)
    return value;
  return arith::ExtFOp::create(b, plan.chain.element, value);
}

void ChainEmitter::closeProduct(const ChainStep &step, const Values &sums) {
  ComputeOp op = step.op;
  Value divisor = divisorOf(step);
  if (divisor)
    divisor = ofKeys(step.scale.division, divisor,
                     [&](Value origin) { return keys.lookup(origin); });
  Value buffer = buffers.lookup(step.written());
  Value extent = pitchOf(step.written());
  Value start = placeOf(step.written(), row);
  for (unsigned v = 0; v < plan.vectors; ++v) {
    Value at = columnAt(v);
    Value isThere = e.compare(arith::CmpIPredicate::ult, at, extent);
    e.branch(isThere, [&] {
      Value place = e.add(start, at);
      Values values;
      Value before;
      if (!op.getOverwrite())
        before = loadVector(buffer, place, plan.vector);
      for (unsigned u = 0; u < plan.vector; ++u) {
        Value value = completed(step, sums[v * plan.vector + u], divisor);
        if (before)
          value = combine(step, widened(elementOf(before, u)), value);
        values.push_back(value);
      }
      for (Operation *epilogue : step.epilogues)
        applyEpilogue(cast<linalg::GenericOp>(epilogue), at, values);
      storeVector(values, buffer, place);
    });
  }
}

void ChainEmitter::close(Steps steps, const Values &sums) {
  forEachSum(steps, sums, [&](const ChainStep &step, const Values &own) {
    if (step.role == ChainRole::Product)
      closeProduct(step, own);
    else
      closeReduction(step, own.front());
  });
}

/// That sweep and, unless the row is a piece, those behind it.
void ChainEmitter::emitSweeps(unsigned first) {
  sweep = first;
  const SmallVector<const ChainStep *> steps = stepsOf(sweep);
  Values sums;
  if (!steps.empty())
    sums = e.loop(e.i32(0), length, e.i32(kLanes), identities(steps),
                  [&](Value first, Values sums) {
                    return emitChunk(sweep, first, std::move(sums));
                  });
  Value mayBePiece = std::exchange(isPiece, Value());
  auto goOn = [&] {
    close(steps, sums);
    if (first + 1 < plan.chain.sweeps)
      emitSweeps(first + 1);
  };
  auto keep = [&] { storePartials(steps, sums); };
  if (part.kind == ChainPart::Pieces)
    keep();
  else if (mayBePiece)
    e.branch(mayBePiece, keep, goOn);
  else
    goOn();
  isPiece = mayBePiece;
}

/// Index: where the nonzeros of the row begin and end.
std::pair<Value, Value> ChainEmitter::boundsOfRow() {
  Value begin = e.uniform(e.toIndex(e.table(Role::Positions, row)));
  Value next = e.add(row, e.index(1));
  return {begin, e.toIndex(e.table(Role::Positions, next))};
}

/// Runs a row for each tile of its columns.
void ChainEmitter::overTiles(function_ref<void()> run) {
  firstColumn = e.index(0);
  if (!plan.tiles)
    return run();
  Value widest = e.index(0);
  for (const ChainStep &step : plan.chain.steps)
    if (step.role == ChainRole::Product)
      widest = arith::MaxUIOp::create(b, widest, pitchOf(step.written()));
  // Values of the key are stored once at least.
  widest = arith::MaxUIOp::create(b, widest, e.index(1));
  e.loop(e.index(0), widest, e.index(plan.tile()), [&](Value first) {
    firstColumn = first;
    run();
  });
}

void ChainEmitter::emitRow(Value number) {
  row = e.toIndex(number);
  Value end;
  std::tie(begin, end) = boundsOfRow();
  length = e.uniform(e.toI32(e.sub(end, begin)));
  overTiles([&] {
    keys.clear();
    emitSweeps(0);
  });
}

void ChainEmitter::emit() {
  Value thread = e.toI32(gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  e.lane = e.bitAnd(thread, kLanes - 1);
  // A broadcast tells ptxas that branches on it are the same in all lanes.
  e.warp = e.uniform(arith::ShRUIOp::create(b, thread, e.i32(5)));
  group = arith::DivUIOp::create(b, e.lane, e.i32(kSharing));
  within = arith::RemUIOp::create(b, e.lane, e.i32(kSharing));
  own = e.add(e.mul(within, e.i32(kTogether)), group);
  Value block = e.toI32(gpu::BlockIdOp::create(
      b, plan.heads ? gpu::Dimension::y : gpu::Dimension::x));
  Value worker = e.add(e.mul(block, e.i32(kBlockWarps)), e.warp);
  // No loop: what it kept would be registers that rows need.
  Value isThere = e.compare(arith::CmpIPredicate::slt, worker, workers);
  e.branch(isThere, [&] {
    if (part.kind != ChainPart::Whole)
      pieces.emplace(e, rows, piece, least);
    if (part.kind == ChainPart::Combine)
      return emitCombine(worker);
    if (part.kind != ChainPart::Whole)
      return emitPieces(worker);
    auto [from, to] = RowShares(e, workers, rows).rowsOf(worker);
    e.loop(from, to, e.i32(1), [&](Value row) { emitRow(row); });
  });
}

} // namespace astfe::gpukernel
