//===- ChainEmitter.cpp - nonzeros of a row, 32 at a time -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainEmitter.h"
#include "ASTFE/Conversion/Contraction.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace astfe::gpukernel {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

AffineMap ChainEmitter::mapOf(const ChainStep &step, unsigned input) const {
  ComputeOp op = step.op;
  return op.getMapArray()[input];
}

bool ChainEmitter::isDense(const ChainStep &step, unsigned input) const {
  return !step.plan.inputs[input].dense.empty();
}

bool ChainEmitter::isOfKey(const OperandPlan &operand) const {
  return operand.modes.front() == plan.chain.key;
}

Value ChainEmitter::pitchOf(Value origin) {
  int64_t extent = cast<ShapedType>(origin.getType()).getShape().back();
  return ShapedType::isDynamic(extent) ? pitches.lookup(origin)
                                       : e.index(extent);
}

Value ChainEmitter::placeOf(Value origin, Value at) {
  if (Value stride = strides.lookup(origin))
    return e.mul(at, stride);
  // The rows of all heads are counted in 32 bits: from there on addresses take
  // as many registers as those of a head alone.
  if (Value extent = headRows.lookup(origin)) {
    Value first = e.toI32(at), second = head;
    if (plan.headDim(cast<BlockArgument>(origin).getArgNumber() - 1) == 0u)
      std::swap(first, second);
    at = e.toIndex(e.add(e.mul(first, extent), second));
  }
  return cast<ShapedType>(origin.getType()).getRank() > 1
             ? e.mul(at, pitchOf(origin))
             : at;
}

Value ChainEmitter::rowStart(const ChainStep &step, unsigned input,
                             Value column) {
  ComputeOp op = step.op;
  Value origin = FusedOp::getOrigin(op.getInputs()[input]);
  const OperandPlan &operand = step.plan.inputs[input];
  if (operand.modes.empty())
    return e.index(0);
  return placeOf(origin, isOfKey(operand) ? row : e.toIndex(column));
}

Value ChainEmitter::loadVector(Value buffer, Value at, unsigned size) {
  if (size == 1)
    return e.load(buffer, at);
  Type element = getElementTypeOrSelf(buffer);
  auto type = VectorType::get(size, element);
  return vector::LoadOp::create(
      b, type, buffer, ValueRange{at}, /*nontemporal=*/false,
      llvm::MaybeAlign(size * element.getIntOrFloatBitWidth() / 8));
}

Value ChainEmitter::loadColumns(Value origin, Value at) {
  Value buffer = buffers.lookup(origin);
  if (!strides.contains(origin))
    return loadVector(buffer, at, plan.vector);
  Values elements;
  for (unsigned u = 0; u < plan.vector; ++u)
    elements.push_back(e.load(buffer, placeOf(origin, e.add(at, e.index(u)))));
  auto type = VectorType::get(plan.vector, elements.front().getType());
  return plan.vector == 1
             ? elements.front()
             : Value(vector::FromElementsOp::create(b, type, elements));
}

Value ChainEmitter::elementOf(Value loaded, unsigned u) {
  return isa<VectorType>(loaded.getType())
             ? Value(vector::ExtractOp::create(b, loaded, int64_t(u)))
             : loaded;
}

Value ChainEmitter::loadScalar(const ChainStep &step, unsigned input,
                               Value slot, Value column) {
  ComputeOp op = step.op;
  Value origin = FusedOp::getOrigin(op.getInputs()[input]);
  Value buffer = buffers.lookup(origin);
  const OperandPlan &operand = step.plan.inputs[input];
  auto placeIn = [&](unsigned mode) {
    return mode == plan.chain.key ? row : e.toIndex(column);
  };
  Value at = operand.ordinal ? placeOf(origin, slot) : e.index(0);
  if (operand.modes.size() == 2)
    at = e.add(placeOf(origin, placeIn(operand.modes[0])),
               placeIn(operand.modes[1]));
  else if (!operand.modes.empty())
    at = placeOf(origin, placeIn(operand.modes[0]));
  return asComputed(e.load(buffer, at), step.plan.widens);
}

//===----------------------------------------------------------------------===//
// Nonzeros
//===----------------------------------------------------------------------===//

Value ChainEmitter::identity(const ChainStep &step) {
  if (TypedAttr start = step.plan.outputs.front().start)
    return asComputed(arith::ConstantOp::create(b, start), step.plan.widens);
  return arith::getIdentityValue(step.plan.outputs.front().combiner,
                                 plan.chain.element, b, b.getLoc());
}

Value ChainEmitter::combine(const ChainStep &step, Value a, Value c) {
  Value result = arith::getReductionOp(step.plan.outputs.front().combiner, b,
                                       b.getLoc(), a, c);
  if (Operation *op = result.getDefiningOp())
    allowContraction(op);
  return result;
}

/// Combines what lanes have whose numbers differ in the bits [from, to).
Value ChainEmitter::across(Value value, int64_t from, int64_t to,
                           arith::AtomicRMWKind kind) {
  for (int64_t distance = from; distance < to; distance *= 2)
    value = arith::getReductionOp(
        kind, b, b.getLoc(), value,
        gpu::ShuffleOp::create(b, value, e.i32(distance), e.i32(kLanes),
                               gpu::ShuffleMode::XOR)
            .getShuffleResult());
  return value;
}

/// An input without a dense dimension, at this lane's nonzero; null for a value
/// of the key that is not complete.
Value ChainEmitter::readSlot(const ChainStep &step, unsigned input) {
  ComputeOp op = step.op;
  Value origin = FusedOp::getOrigin(op.getInputs()[input]);
  const ChainStep *maker = plan.chain.makerOf(origin);
  if (!maker)
    return loadScalar(step, input, slot, column);
  return maker->isOfSlot() ? valueOf(*maker) : keys.lookup(origin);
}

Value ChainEmitter::valueOf(const ChainStep &step) {
  Value origin = step.written();
  if (Value known = made.lookup(origin))
    return known;
  Value value =
      step.role == ChainRole::Sample
          ? sample(step)
          : evaluate(step, contributionOf(step.op),
                     [&](unsigned input) { return readSlot(step, input); });
  made[origin] = value;
  return value;
}

/// Whether one of the values of a body depends on an argument.
static bool dependsOn(ArrayRef<Value> values, BlockArgument argument) {
  return llvm::any_of(values, [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return value == argument ||
           (definition && definition->getBlock() == argument.getOwner() &&
            dependsOn(llvm::to_vector<4>(definition->getOperands()), argument));
  });
}

/// The dense operands of a sample. Rows that the key names, or nobody, are
/// loaded once for all nonzeros.
ChainEmitter::SampleRows ChainEmitter::rowsOfSample(const ChainStep &step,
                                                    ArrayRef<Value> columns) {
  ComputeOp op = step.op;
  SampleRows rows;
  rows.starts.resize(op.getInputs().size());
  for (auto [i, starts] : llvm::enumerate(rows.starts)) {
    if (!isDense(step, i))
      continue;
    const OperandPlan &operand = step.plan.inputs[i];
    if (operand.modes.empty() || isOfKey(operand))
      starts.push_back(rowStart(step, i, Value()));
    else
      for (Value column : columns)
        starts.push_back(rowStart(step, i, column));
    rows.extent = pitchOf(FusedOp::getOrigin(op.getInputs()[i]));
  }
  return rows;
}

/// By input and row, what this lane has of them at a place of the dense
/// dimension.
SmallVector<Values> ChainEmitter::loadSampleRows(const ChainStep &step,
                                                 const SampleRows &rows,
                                                 Value at, unsigned vector) {
  ComputeOp op = step.op;
  SmallVector<Values> loaded(rows.starts.size());
  for (unsigned i = 0; i < loaded.size(); ++i)
    for (Value start : rows.starts[i])
      loaded[i].push_back(
          loadVector(buffers.lookup(FusedOp::getOrigin(op.getInputs()[i])),
                     e.add(start, at), vector));
  return loaded;
}

/// Known steps over the dense dimension, so few that LLVM keeps the key's row;
/// 0 for others.
int64_t ChainEmitter::sampleSteps(const ChainStep &step) {
  const int64_t extent = sampledExtent(step);
  const int64_t stride = kSharing * plan.sampleVector(extent);
  const int64_t words = plan.kernel.elementBytes() / 4;
  const bool isShort =
      !ShapedType::isDynamic(extent) &&
      extent / kSharing * words <= core::rules::kChainRowRegisters &&
      extent % stride == 0;
  return isShort ? extent / stride : 0;
}

int64_t ChainEmitter::sampledExtent(const ChainStep &step) {
  ComputeOp op = step.op;
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    if (isDense(step, i))
      return cast<ShapedType>(FusedOp::getOrigin(op.getInputs()[i]).getType())
          .getShape()
          .back();
  llvm_unreachable("a sample reads rows");
}

/// Of all lanes that share the nonzeros in `columns`: the sums over the dense
/// dimension of their terms, or of the whole body where it is no product.
/// `shuffled` gives other inputs at such a nonzero. All rows are loaded before
/// the first is used.
Values ChainEmitter::sampleSums(
    const ChainStep &step, ArrayRef<Value> columns,
    function_ref<Value(unsigned input, unsigned nonzero)> shuffled) {
  ComputeOp op = step.op;
  SampleRows rows = rowsOfSample(step, columns);
  SmallVector<Value> wanted(step.plan.terms);
  if (wanted.empty())
    wanted.push_back(contributionOf(step.op));
  const unsigned vector = plan.sampleVector(sampledExtent(step));
  // Before the loop, which lanes leave one by one: all of a warp shuffle.
  SmallVector<Values> others(columns.size(), Values(rows.starts.size()));
  for (auto [n, other] : llvm::enumerate(others))
    for (BlockArgument argument : op.getBody().getArguments())
      if (const unsigned i = argument.getArgNumber();
          i < rows.starts.size() && rows.starts[i].empty() &&
          dependsOn(wanted, argument))
        other[i] = shuffled(i, n);
  auto add = [&](ArrayRef<Values> loaded, Values sums) {
    for (unsigned n = 0; n < columns.size(); ++n)
      for (unsigned u = 0; u < vector; ++u) {
        Values factors;
        IRMapping known;
        for (Value term : wanted)
          factors.push_back(evaluate(
              step, term,
              [&](unsigned i) {
                ArrayRef<Value> mine = loaded[i];
                return mine.empty()
                           ? others[n][i]
                           : elementOf(mine[mine.size() > 1 ? n : 0], u);
              },
              known));
        sums[n] = combine(step, sums[n], e.multiply(factors));
      }
    return sums;
  };
  Values sums(columns.size(), identity(step));
  const int64_t stride = kSharing * vector;
  Value first = e.toIndex(e.mul(within, e.i32(vector)));
  if (const int64_t steps = sampleSteps(step)) {
    SmallVector<SmallVector<Values>> loaded;
    for (int64_t at = 0; at < steps; ++at)
      loaded.push_back(loadSampleRows(
          step, rows, e.add(e.index(at * stride), first), vector));
    for (ArrayRef<Values> each : loaded)
      sums = add(each, std::move(sums));
  } else {
    sums = e.unrolledLoop(
        first, rows.extent, e.index(stride), sums, [&](Value at, Values sums) {
          return add(loadSampleRows(step, rows, at, vector), std::move(sums));
        });
  }
  for (Value &sum : sums)
    sum = across(sum, 1, kSharing, step.plan.outputs.front().combiner);
  return sums;
}

/// Rounds whose rows a lane loads at a time: a round takes registers for what
/// is loaded, for the address and for the sum.
int64_t ChainEmitter::roundsTogether(const ChainStep &step) {
  const int64_t words = plan.kernel.elementBytes() / 4;
  const int64_t loaded = std::max<int64_t>(1, sampleSteps(step)) *
                         plan.sampleVector(sampledExtent(step)) * words;
  const int64_t most = core::rules::kChainSampleRegisters / plan.loadShares() /
                       (loaded + 2 + words);
  return llvm::bit_floor(uint64_t(std::clamp<int64_t>(most, 1, kSharing)));
}

Value ChainEmitter::sample(const ChainStep &step) {
  ComputeOp op = step.op;
  Values mine(op.getInputs().size());
  for (unsigned i = 0; i < mine.size(); ++i)
    if (!isDense(step, i))
      mine[i] = readSlot(step, i);
  Value rounds = roundsOf(count);
  Value base = e.mul(group, e.i32(kSharing));
  // Those rounds, of which this lane has at most one's sum.
  auto take = [&](Value first, int64_t together, Value last) {
    Values from, columns, numbers;
    for (int64_t r = 0; r < together; ++r) {
      numbers.push_back(e.add(first, e.i32(r)));
      from.push_back(e.add(base, numbers.back()));
      columns.push_back(e.broadcast(column, from.back()));
    }
    Values sums = sampleSums(step, columns, [&](unsigned i, unsigned n) {
      return e.broadcast(mine[i], from[n]);
    });
    for (auto [number, sum] : llvm::zip_equal(numbers, sums)) {
      Value isMine = e.compare(arith::CmpIPredicate::eq, within, number);
      last = e.select(isMine, sum, last);
    }
    return last;
  };
  // As many at a time as registers hold, then the rest one by one.
  const int64_t together = roundsTogether(step);
  Value whole = e.i32(0), sum = identity(step);
  auto loop = [&](Value from, Value to, int64_t number) {
    return e
        .unrolledLoop(from, to, e.i32(number), {sum},
                      [&](Value first, Values last) {
                        return Values{take(first, number, last.front())};
                      })
        .front();
  };
  if (together > 1) {
    whole = e.bitAnd(rounds, -together);
    sum = loop(e.i32(0), whole, together);
  }
  sum = loop(whole, rounds, 1);
  Values factors{sum};
  for (Value factor : step.plan.factors)
    factors.push_back(
        evaluate(step, factor, [&](unsigned i) { return mine[i]; }));
  return e.multiply(factors);
}

/// i32: rounds of kTogether nonzeros.
Value ChainEmitter::roundsOf(Value count) {
  return arith::DivUIOp::create(b, e.add(count, e.i32(kTogether - 1)),
                                e.i32(kTogether));
}

void ChainEmitter::storeSlot(const ChainStep &step) {
  Value value = valueOf(step);
  e.branch(valid, [&] {
    Value buffer = buffers.lookup(step.written());
    memref::StoreOp::create(b, asStored(value, buffer), buffer,
                            ValueRange{placeOf(step.written(), slot)});
  });
}

Values ChainEmitter::rescaled(const ChainStep &step, Values sums) {
  if (step.scale) {
    Value factor = references[step.scale.exponential].factor;
    for (Value &sum : sums)
      sum = arith::MulFOp::create(b, sum, factor);
  }
  return sums;
}

Values ChainEmitter::reduce(const ChainStep &step, Values sums) {
  Value value = evaluate(step, contributionOf(step.op),
                         [&](unsigned input) { return readSlot(step, input); });
  value = e.select(valid, value, identity(step));
  if (!isRunning(step)) {
    Value sum = rescaled(step, std::move(sums)).front();
    return {combine(step, sum, value)};
  }
  value = across(value, 1, kLanes, step.plan.outputs.front().combiner);
  Value now = combine(step, sums.front(), value);
  moveReference(step, sums.front(), now);
  return {now};
}

/// This lane's columns of vector number `vector`.
Value ChainEmitter::columnAt(unsigned vector) {
  Value lane = e.toIndex(e.mul(e.lane, e.i32(plan.vector)));
  return e.add(e.add(firstColumn, e.index(vector * kLanes * plan.vector)),
               lane);
}

Value ChainEmitter::loadedColumn(const ChainStep &step, unsigned vector) {
  Value at = columnAt(vector);
  Value isThere =
      e.compare(arith::CmpIPredicate::ult, at, pitchOf(step.written()));
  return e.select(isThere, at, e.index(0));
}

Values ChainEmitter::multiply(const ChainStep &step, Values sums) {
  ComputeOp op = step.op;
  const unsigned inputs = op.getInputs().size();
  Values mine(inputs);
  for (unsigned i = 0; i < inputs; ++i)
    if (!isDense(step, i))
      mine[i] = readSlot(step, i);
  Value extent = pitchOf(step.written());
  Values columns;
  for (unsigned v = 0; v < plan.vectors; ++v)
    columns.push_back(loadedColumn(step, v));
  const int64_t words = int64_t(sums.size()) * plan.kernel.elementBytes() / 4;
  // A row that fills the registers is a KiB: one in flight for each warp is
  // enough where pieces need some, too.
  const bool isFull =
      part.kind == ChainPart::Cut && words >= core::rules::kChainSumRegisters;
  // A power of two, as rounds are whole numbers of these or the other way
  // round.
  const auto together = int64_t(llvm::bit_floor(uint64_t(std::clamp<int64_t>(
      isFull ? 1 : core::rules::kChainLoadRegisters / plan.loadShares() / words,
      1, core::rules::kChainLoadRegisters))));
  // Adds the nonzeros that these lanes have; all loads first.
  auto take = [&](ArrayRef<Value> from, Values sums) {
    SmallVector<SmallVector<Values>> loaded(from.size()); // by input, vector
    for (auto [lane, rows] : llvm::zip_equal(from, loaded)) {
      Value column = e.broadcast(this->column, lane);
      rows.resize(inputs);
      for (unsigned i = 0; i < inputs; ++i) {
        if (!isDense(step, i))
          continue;
        Value start = rowStart(step, i, column);
        Value buffer = buffers.lookup(FusedOp::getOrigin(op.getInputs()[i]));
        for (Value at : columns)
          rows[i].push_back(loadVector(buffer, e.add(start, at), plan.vector));
      }
    }
    for (auto [lane, rows] : llvm::zip_equal(from, loaded)) {
      Values shuffled(inputs);
      auto read = [&, lane = lane, &rows = rows](unsigned i, unsigned at) {
        if (!rows[i].empty())
          return elementOf(rows[i][at / plan.vector], at % plan.vector);
        if (!shuffled[i])
          shuffled[i] = e.broadcast(mine[i], lane);
        return shuffled[i];
      };
      for (unsigned at = 0; at < sums.size(); ++at)
        sums[at] = combine(step, sums[at],
                           evaluate(step, contributionOf(step.op),
                                    [&](unsigned i) { return read(i, at); }));
    }
    return sums;
  };
  // Whole rounds, as many at a time as registers hold, then one by one, then
  // nonzeros one by one: each row is loaded once.
  Value whole = arith::DivUIOp::create(b, count, e.i32(kTogether));
  auto rounds = [&](Value from, Value to, int64_t number, Values sums) {
    const int64_t loads = std::min(together, number * kTogether);
    auto run = [&](Value round, Values sums) {
      for (int64_t first = 0; first < number * kTogether; first += loads) {
        Values from;
        for (int64_t n = first; n < first + loads; ++n)
          from.push_back(
              e.add(round, e.i32(n / kTogether + n % kTogether * kSharing)));
        sums = take(from, std::move(sums));
      }
      return sums;
    };
    return e.loop(from, to, e.i32(number), std::move(sums), run);
  };
  auto single = [&](Value nonzero, Values sums) {
    Value group = arith::RemUIOp::create(b, nonzero, e.i32(kTogether));
    Value from = e.add(e.mul(group, e.i32(kSharing)), whole);
    return take({from}, std::move(sums));
  };
  sums = rescaled(step, std::move(sums));
  Value some = e.compare(arith::CmpIPredicate::ne, extent, e.index(0));
  return e.branch(some, sums, [&] {
    const int64_t number = std::max<int64_t>(1, together / kTogether);
    Value most = e.bitAnd(whole, -number);
    Values all = rounds(e.i32(0), most, number, sums);
    if (number > 1)
      all = rounds(most, whole, 1, std::move(all));
    return e.unrolledLoop(e.mul(whole, e.i32(kTogether)), count, e.i32(1), all,
                          single);
  });
}

} // namespace astfe::gpukernel
