//===- RowSlices.cpp - lanes over rows ------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice has kSliceRows rows, a lane each, longest first (Core/Pack/Packed.h).
// Step k adds nonzero k of every row that has one: of all rows up to the length
// of the shortest, then of fewer and fewer, the first lanes. There the others
// keep their sums by a mask, so that no padding is stored and nothing is added
// that the sparse product does not add.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
#include "PackedLoops.h"
#include "StoredSums.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

static constexpr int64_t kLanes = core::kSliceRows;

namespace {
/// One slice: segments [g, g + kLanes).
class Slice {
public:
  Slice(PackedKernel &kernel, const Span &span, Value g, Value previousEnd);

  /// Adds all nonzeros from `slot` on and flushes; the slot after the last.
  Value emit(Value slot);
  Value lastEnd; ///< of the segments, as stored

private:
  Value whole(Value n, Value sums);
  Value partial(Value k, Value &n, Value sums);
  Value loadColumns(Value n, Value mask);
  Value ascend(Value numbers);
  Value elementsOf(unsigned input, SmallVector<Value> point,
                   ArrayRef<Value> columns);
  Value inputLanes(unsigned input, SmallVector<Value> point,
                   ArrayRef<Value> columns, Value mask, Value loaded);
  Value add(Value n, ArrayRef<Value> columns, Value mask, Value sums,
            Value loaded);
  bool gathers();
  Value lengthOf(int64_t lane);
  Value firsts();
  void update(Value row, Value sums);
  void flushOwn(Value sums);
  void flush(Value sums);
  void flushByLane(Value sums, Value targets);

  PackedKernel &kernel;
  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  StoredColumns stored;
  Value g, lengths;
};
} // namespace

static VectorType lanesOf(Type element) {
  return VectorType::get({kLanes}, element);
}

/// 0, 1, 2, ...
static Value laneNumbers(ImplicitLocOpBuilder &b) {
  SmallVector<int32_t> numbers;
  for (int64_t l = 0; l < kLanes; ++l)
    numbers.push_back(int32_t(l));
  return arith::ConstantOp::create(b, b.getI32VectorAttr(numbers));
}

/// A mask as an integer, lane 0 in the lowest bit.
static Value bitsOf(ImplicitLocOpBuilder &b, Value mask) {
  Value bits = vector::BitCastOp::create(
      b, VectorType::get({1}, b.getIntegerType(kLanes)), mask);
  return vector::ExtractOp::create(b, bits, 0);
}

/// i1: no lane of the mask is set.
static Value isNone(ImplicitLocOpBuilder &b, Value mask) {
  Value bits = bitsOf(b, mask);
  Value none =
      arith::ConstantOp::create(b, b.getIntegerAttr(bits.getType(), 0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, none);
}

Slice::Slice(PackedKernel &kernel, const Span &span, Value g, Value previousEnd)
    : kernel(kernel), body(kernel.body), b(kernel.body.b),
      stored(span.stored(kernel.tables, kernel.columnBits)), g(g) {
  VectorType type = lanesOf(b.getI32Type());
  Value ends = vector::LoadOp::create(b, type, kernel.tables.segmentEnd, g);
  Value before = vector::BroadcastOp::create(b, type, previousEnd);
  SmallVector<int64_t> shifted{0};
  for (int64_t l = 1; l < kLanes; ++l)
    shifted.push_back(kLanes + l - 1);
  Value begins = vector::ShuffleOp::create(b, before, ends, shifted);
  lengths = arith::SubIOp::create(b, ends, begins);
  lastEnd = vector::ExtractOp::create(b, ends, kLanes - 1);
}

Value Slice::lengthOf(int64_t lane) {
  return arith::IndexCastUIOp::create(
      b, b.getIndexType(), vector::ExtractOp::create(b, lengths, lane));
}

/// Columns as stored, a lane each.
Value Slice::loadColumns(Value n, Value mask) {
  Type element = cast<MemRefType>(stored.array.getType()).getElementType();
  return body.loadLanes(lanesOf(element), stored.array, n, mask);
}

/// i1: each lane has the number of the lane before it plus one.
Value Slice::ascend(Value numbers) {
  VectorType type = lanesOf(b.getI32Type());
  // Narrow columns could come round to 0.
  if (numbers.getType() != type)
    numbers = arith::ExtUIOp::create(b, type, numbers);
  Value first = vector::ExtractOp::create(b, numbers, 0);
  Value expected = arith::AddIOp::create(
      b, vector::BroadcastOp::create(b, type, first), laneNumbers(b));
  return isNone(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, numbers, expected));
}

/// The input at each lane's row and column.
Value Slice::elementsOf(unsigned input, SmallVector<Value> point,
                        ArrayRef<Value> columns) {
  bool byRow = body.inputMaps[input].isFunctionOfDim(kRowDim);
  return body.gatherInput(input, kLanes, [&](int64_t l) {
    if (byRow)
      point[kRowDim] = kernel.rowOf(arith::AddIOp::create(b, g, body.index(l)));
    point[kColumnDim] = columns[size_t(l)];
    return point;
  });
}

/// The input for one nonzero of each lane; one column stands for itself and
/// those that follow it.
Value Slice::inputLanes(unsigned input, SmallVector<Value> point,
                        ArrayRef<Value> columns, Value mask, Value loaded) {
  AffineMap map = body.inputMaps[input];
  const bool byRow = map.isFunctionOfDim(kRowDim);
  if (map.isFunctionOfDim(kNonzeroDim))
    return body.loadInputLanes(input, point, kLanes, mask);
  if (!byRow && !map.isFunctionOfDim(kColumnDim))
    return body.loadInput(input, point);
  if (loaded && !byRow)
    return body.gatherColumns(input, loaded, stored.base, mask);
  if (columns.size() == size_t(kLanes))
    return elementsOf(input, point, columns);
  point[kColumnDim] = columns.front();
  if (!byRow)
    return body.loadInputLanes(input, point, kLanes, mask);
  SmallVector<Value> each;
  for (int64_t l = 0; l < kLanes; ++l)
    each.push_back(arith::AddIOp::create(b, columns.front(), body.index(l)));
  return elementsOf(input, point, each);
}

/// sums (combiner)= one nonzero of each lane, from slot `n` on; where `mask` is
/// not set a lane's sum stays. Columns are numbers, or a vector as `loaded`.
Value Slice::add(Value n, ArrayRef<Value> columns, Value mask, Value sums,
                 Value loaded) {
  SmallVector<Value> point(body.dims()), arguments;
  point[kNonzeroDim] = n;
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    arguments.push_back(inputLanes(i, point, columns, mask, loaded));
  Value value = body.contributions(arguments).front();
  Value next = body.combine(0, sums, value);
  return mask ? arith::SelectOp::create(b, mask, next, sums).getResult() : next;
}

/// Whatever the columns of a step say is gathered, and nothing is read by rows.
bool Slice::gathers() {
  for (auto [i, map] : llvm::enumerate(body.inputMaps)) {
    if (map.isFunctionOfDim(kNonzeroDim))
      continue;
    if (map.isFunctionOfDim(kRowDim) ||
        (map.isFunctionOfDim(kColumnDim) && !body.gathers(i)))
      return false;
  }
  return true;
}

/// Bands, and meshes in their natural order: the columns of 16 rows follow each
/// other, and one load takes what the others read element by element.
Value Slice::whole(Value n, Value sums) {
  // No lane's column is asked for.
  if (readsStoredOnly(body, kRowDim))
    return add(n, SmallVector<Value>(kLanes), {}, sums, {});
  Value loaded = loadColumns(n, {});
  auto ascending = [&](OpBuilder &, Location) {
    Value first = stored.fromStored(b, vector::ExtractOp::create(b, loaded, 0));
    scf::YieldOp::create(b, add(n, first, {}, sums, {}));
  };
  auto scattered = [&](OpBuilder &, Location) {
    if (gathers()) {
      scf::YieldOp::create(b, add(n, {}, {}, sums, loaded));
      return;
    }
    // A narrow load beats an extract.
    SmallVector<Value> columns;
    for (int64_t l = 0; l < kLanes; ++l)
      columns.push_back(
          stored.at(b, arith::AddIOp::create(b, n, body.index(l))));
    scf::YieldOp::create(b, add(n, columns, {}, sums, {}));
  };
  return scf::IfOp::create(b, ascend(loaded), ascending, scattered)
      .getResult(0);
}

/// Step `k` of the rows that are longer; `n` moves behind their nonzeros.
Value Slice::partial(Value k, Value &n, Value sums) {
  Type i32 = b.getI32Type();
  Value step = vector::BroadcastOp::create(
      b, lanesOf(i32), arith::IndexCastOp::create(b, i32, k));
  Value mask =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, lengths, step);
  Value loaded = loadColumns(n, mask);
  SmallVector<Value> columns;
  for (int64_t l = 0; l < kLanes && !gathers(); ++l)
    columns.push_back(
        stored.fromStored(b, vector::ExtractOp::create(b, loaded, l)));
  Value next = add(n, columns, mask, sums, gathers() ? loaded : Value());
  Value count = math::CtPopOp::create(b, bitsOf(b, mask));
  n = arith::AddIOp::create(
      b, n, arith::IndexCastUIOp::create(b, b.getIndexType(), count));
  return next;
}

Value Slice::emit(Value slot) {
  Value shortest = lengthOf(kLanes - 1);
  auto wholeStep = [&](OpBuilder &, Location, Value k, ValueRange sums) {
    Value n = arith::AddIOp::create(
        b, slot, arith::MulIOp::create(b, k, body.index(kLanes)));
    scf::YieldOp::create(b, whole(n, sums.front()));
  };
  Value start = body.identity(0, kLanes);
  auto wholes = scf::ForOp::create(b, body.index(0), shortest, body.index(1),
                                   start, wholeStep);
  Value after = arith::AddIOp::create(
      b, slot, arith::MulIOp::create(b, shortest, body.index(kLanes)));
  auto partialStep = [&](OpBuilder &, Location, Value k, ValueRange carried) {
    Value n = carried[1];
    Value sums = partial(k, n, carried[0]);
    scf::YieldOp::create(b, ValueRange{sums, n});
  };
  auto partials =
      scf::ForOp::create(b, shortest, lengthOf(0), body.index(1),
                         ValueRange{wholes.getResult(0), after}, partialStep);
  flush(partials.getResult(0));
  return partials.getResult(1);
}

/// Whether each lane's segment is the first to write its row, where not all
/// are.
Value Slice::firsts() {
  Value marks = vector::LoadOp::create(b, lanesOf(b.getI8Type()),
                                       kernel.tables.segmentFirst, g);
  Value none = arith::ConstantOp::create(
      b, b.getZeroAttr(cast<VectorType>(marks.getType())));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, marks, none);
}

/// The rows from `row` on.
void Slice::update(Value row, Value sums) {
  Value output = body.outputs.front();
  if (!kernel.allFirst)
    return body.update(0, output, row, sums);
  auto value = scf::IfOp::create(
      b, kernel.allFirst,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, sums); },
      [&](OpBuilder &, Location) {
        Value added = body.updated(0, output, row, sums, {});
        scf::YieldOp::create(
            b, arith::SelectOp::create(b, firsts(), sums, added).getResult());
      });
  body.store(value.getResult(0), output, row, {});
}

/// Each lane's row, none of which is shared.
void Slice::flushOwn(Value sums) {
  Value output = body.outputs.front();
  auto forEachLane = [&](function_ref<Value(Value, Value, int64_t)> finish) {
    for (int64_t l = 0; l < kLanes; ++l) {
      Value row = loadIndex(b, kernel.tables.segmentTarget,
                            arith::AddIOp::create(b, g, body.index(l)));
      Value sum = vector::ExtractOp::create(b, sums, l);
      body.store(finish(row, sum, l), output, row, {});
    }
  };
  auto added = [&](Value row, Value sum, int64_t) {
    return body.updated(0, output, row, sum, {});
  };
  if (!kernel.allFirst)
    return forEachLane(added);
  scf::IfOp::create(
      b, kernel.allFirst,
      [&](OpBuilder &, Location) {
        forEachLane([](Value, Value sum, int64_t) { return sum; });
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        Value first = firsts();
        forEachLane([&](Value row, Value sum, int64_t l) -> Value {
          return arith::SelectOp::create(b,
                                         vector::ExtractOp::create(b, first, l),
                                         sum, added(row, sum, l));
        });
        scf::YieldOp::create(b);
      });
}

/// Own rows that follow each other are updated together.
void Slice::flush(Value sums) {
  VectorType type = lanesOf(b.getI32Type());
  Value targets =
      vector::LoadOp::create(b, type, kernel.tables.segmentTarget, g);
  Value first = vector::ExtractOp::create(b, targets, 0);
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value together = arith::AndIOp::create(
      b, ascend(targets),
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, first, zero));
  scf::IfOp::create(
      b, together,
      [&](OpBuilder &, Location) {
        Value row = arith::IndexCastUIOp::create(b, b.getIndexType(), first);
        update(row, sums);
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        flushByLane(sums, targets);
        scf::YieldOp::create(b);
      });
}

/// Lane by lane: without a question where no row is shared. The others are few,
/// so that a loop, which compiles faster, is enough.
void Slice::flushByLane(Value sums, Value targets) {
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(cast<VectorType>(targets.getType())));
  Value shared =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, targets, zero);
  auto flushAny = [&](OpBuilder &, Location, Value lane, ValueRange) {
    kernel.flush(arith::AddIOp::create(b, g, lane), ColumnTile(),
                 ValueRange{vector::ExtractOp::create(b, sums, lane)});
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(
      b, isNone(b, shared),
      [&](OpBuilder &, Location) {
        flushOwn(sums);
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        scf::ForOp::create(b, body.index(0), body.index(kLanes), body.index(1),
                           ValueRange(), flushAny);
        scf::YieldOp::create(b);
      });
}

static SegmentStart emitSpan(PackedKernel &kernel, const Span &span) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  if (denseColumns(body)) {
    StoredColumns columns = span.stored(kernel.tables, kernel.columnBits);
    forEachSliceSlot(kernel, span, [&](Value g, Value n, Value number) {
      Value begins;
      if (kernel.allFirst)
        begins = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                       body.index(0));
      emitNonzero(kernel, columns, g, n, begins);
    });
    return span.end();
  }
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  auto emitSlice = [&](OpBuilder &, Location, Value g, ValueRange carried) {
    Slice slice(kernel, span, g, carried[1]);
    Value slot = slice.emit(carried[0]);
    scf::YieldOp::create(b, ValueRange{slot, slice.lastEnd});
  };
  scf::ForOp::create(b, span.segment, span.segmentsEnd, body.index(kLanes),
                     ValueRange{span.slot, zero}, emitSlice);
  return span.end();
}

const ClassEmitter host::kRowSlicesEmitter{emitSpan};

//===----------------------------------------------------------------------===//
// Slot by slot
//===----------------------------------------------------------------------===//

/// The nonzeros of segment `g` of a span.
static Value lengthOf(PackedKernel &kernel, const Span &span, Value g) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, g, span.segment);
  Value below = arith::SubIOp::create(b, g, kernel.body.index(1));
  Value at = arith::SelectOp::create(b, first, g, below);
  Value before =
      arith::SelectOp::create(b, first, kernel.body.index(0),
                              loadIndex(b, kernel.tables.segmentEnd, at));
  return arith::SubIOp::create(b, loadIndex(b, kernel.tables.segmentEnd, g),
                               before);
}

/// One step of a slice: the lanes [first, end) that are longer than `k`.
static Value emitStep(PackedKernel &kernel, const Span &span, Value first,
                      Value k, Value slot,
                      function_ref<void(Value, Value, Value)> emit) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  Value end = arith::AddIOp::create(b, first, body.index(kLanes));
  auto emitLane = [&](OpBuilder &, Location, Value g, ValueRange n) {
    Value has = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, k,
                                      lengthOf(kernel, span, g));
    scf::IfOp::create(b, has, [&](OpBuilder &, Location) {
      emit(g, n.front(), k);
      scf::YieldOp::create(b);
    });
    Value next = arith::AddIOp::create(b, n.front(), body.index(1));
    scf::YieldOp::create(
        b, arith::SelectOp::create(b, has, next, n.front()).getResult());
  };
  return scf::ForOp::create(b, first, end, body.index(1), slot, emitLane)
      .getResult(0);
}

void host::forEachSliceSlot(PackedKernel &kernel, const Span &span,
                            function_ref<void(Value, Value, Value)> emit) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  auto emitSlice = [&](OpBuilder &, Location, Value first, ValueRange slot) {
    auto step = [&](OpBuilder &, Location, Value k, ValueRange n) {
      scf::YieldOp::create(b,
                           emitStep(kernel, span, first, k, n.front(), emit));
    };
    auto steps =
        scf::ForOp::create(b, body.index(0), lengthOf(kernel, span, first),
                           body.index(1), slot, step);
    scf::YieldOp::create(b, steps.getResults());
  };
  scf::ForOp::create(b, span.segment, span.segmentsEnd, body.index(kLanes),
                     span.slot, emitSlice);
}
