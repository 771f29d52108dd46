//===- RowSegments.cpp - RowSegments -> ColumnTile | Teams ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ColumnTile: the warp takes one row at a time, accumulators in registers, 32
// nonzeros loaded together and then four or eight in flight. The rows' bounds
// and numbers are loaded 32 at a time too.
//
// Teams are in RowTeams.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Nonzeros whose loads are in flight together.
static constexpr int64_t kUnroll = core::rules::kInFlight;

/// Twice as many where registers are left: of elements of 32 bits, four of them
/// a lane only in kernels of rows without partial ones. (All else spills on
/// sm_80.)
static int64_t inFlight(const Emitter &e) {
  // Partial rows take registers, too.
  if (e.plan.complex)
    return e.plan.partials() ? e.teamInFlight() / 2 : e.teamInFlight();
  if (e.plan.widestBytes() > 4)
    return kUnroll;
  const bool hasRows =
      e.plan.view() || e.plan.classes.contains(core::SegmentClass::RowSegments);
  return e.vector() <= 2 || (hasRows && !e.plan.partials()) ? 2 * kUnroll
                                                            : kUnroll;
}

/// What `make` makes of the least of least, least + step, ..., most that is not
/// below `number`, by tests that halve them.
Values Emitter::oneOf(int64_t least, int64_t most, int64_t step, Value number,
                      TypeRange types, function_ref<Values(int64_t)> make) {
  if (least == most)
    return make(least);
  const int64_t middle = least + (most - least) / step / 2 * step;
  auto among = [&](int64_t from, int64_t to) {
    return [&, from, to] { return oneOf(from, to, step, number, types, make); };
  };
  return either(compare(arith::CmpIPredicate::sgt, number, i32(middle)), types,
                among(middle + step, most), among(least, middle));
}

/// `sums` and the contributions of `count` nonzeros (i32) that are kept.
Values Emitter::stagedSum(Value count, Value row, Values sums) {
  const int64_t unroll = inFlight(*this);
  auto take = [&](Value from, int64_t number, Values sums) {
    SmallVector<Point> points =
        staged(from, int64_t(llvm::PowerOf2Ceil(uint64_t(number))), row);
    return accumulate(ArrayRef(points).take_front(size_t(number)),
                      std::move(sums));
  };
  Value whole = bitAnd(count, -unroll);
  sums = unrolledLoop(
      i32(0), whole, i32(unroll), std::move(sums),
      [&](Value t, Values sums) { return take(t, unroll, std::move(sums)); });
  // The rest in flight together, too: each number has code of its own. Seven of
  // four columns would spill.
  int64_t most = unroll;
  Value from = whole;
  if (vector() > 2 && unroll > kUnroll) {
    most = unroll / 2;
    Value some = compare(arith::CmpIPredicate::ne, bitAnd(count, most), i32(0));
    sums = branch(some, sums, [&] { return take(from, most, sums); });
    from = bitAnd(count, -most);
  }
  return oneOf(
      0, most - 1, 1, sub(count, from), TypeRange(ValueRange(sums)),
      [&](int64_t number) { return number ? take(from, number, sums) : sums; });
}

/// `sums` and the contributions of all of a row's nonzeros.
Values Emitter::rowSum(const Segments &segments, const Row &row, Values sums) {
  Value last = sub(row.length, i32(1));
  auto chunk = [&](Value begin, Values sums) {
    Value mine = min(add(begin, lane), last);
    Value slot = add(row.begin, likeSlot(row.begin, mine));
    stage(load(slot, segments.column(slot, row.begin), row.row));
    Value count = min(sub(row.length, begin), i32(kLanes));
    return stagedSum(count, row.row, std::move(sums));
  };
  return loop(i32(0), row.length, i32(kLanes), std::move(sums), chunk);
}

/// Whether the nonzeros of a row are asked for while the one before is worked
/// on: rows follow each other, and only values are read beside columns. Doubles
/// take the registers that this needs, and, of kernels whose lanes have four
/// columns, dense tiles and partial rows.
bool Emitter::readsAhead(const Segments &segments) const {
  const bool hasTiles = plan.classes.contains(core::SegmentClass::DenseTile);
  return segments.stored && plan.widestBytes() <= 4 &&
         (vector() <= 2 || (!hasTiles && !plan.partials())) &&
         llvm::none_of(plan.inputs, [](const Operand &input) {
           return input.perNonzero() && !input.values;
         });
}

/// What a lane reads of 32 nonzeros from slot `from` on, as memory has it: what
/// is made of it would wait.
Values Emitter::ask(const Segments &segments, Value from) {
  Value slot = min(add(from, lane), sub(segments.slots, i32(1)));
  Values result{segments.stored(slot)};
  for (auto [i, input] : llvm::enumerate(plan.inputs))
    if (input.perNonzero())
      result.push_back(
          loadScalar(i, slotBase ? add(slotBase, toIndex(slot)) : slot));
  return result;
}

/// The point of what ask() has read.
Point Emitter::asked(const Segments &segments, ArrayRef<Value> read) {
  Point point = place(segments.columnOf(read.front()));
  read = read.drop_front();
  for (const Operand &input : plan.inputs) {
    point.scalars.push_back(input.perNonzero() ? read.front() : Value());
    read = read.drop_front(input.perNonzero());
  }
  return point;
}

/// `sums` and the contributions of a row of whose first 32 nonzeros lanes have
/// read what ask() reads; leaves in `read` what they have of those behind it.
Values Emitter::rowSumAhead(const Segments &segments, const Row &row,
                            Values &read, Values sums) {
  const size_t count = sums.size();
  Values carried = std::move(sums);
  llvm::append_range(carried, read);
  carried = loop(i32(0), row.length, i32(kLanes), carried,
                 [&](Value begin, Values carried) {
                   stage(asked(segments, ArrayRef(carried).drop_front(count)));
                   Value left = min(sub(row.length, begin), i32(kLanes));
                   Values next =
                       ask(segments, add(add(row.begin, begin), left));
                   carried.truncate(count);
                   Values sums = stagedSum(left, row.row, std::move(carried));
                   llvm::append_range(sums, next);
                   return sums;
                 });
  read.assign(carried.begin() + std::ptrdiff_t(count), carried.end());
  carried.truncate(count);
  return carried;
}

/// Runs the segments one by one, with what each leaves to the next. Where the
/// next one ends is read while one runs. Marks are as the lanes have read them.
void Emitter::eachRow(const Segments &segments, Values inits,
                      function_ref<Values(const Row &, Values)> run) {
  bool readsRows = llvm::any_of(plan.inputs, std::mem_fn(&Operand::needsRow));
  Value last = sub(segments.last, i32(1));
  Values all{segments.bounds(segments.first).first,
             segments.end(min(segments.first, last))};
  const size_t own = all.size();
  llvm::append_range(all, inits);
  auto body = [&](Value segment, Values carried) {
    Value end = uniform(carried[1]);
    Values after{end, segments.end(min(add(segment, i32(1)), last))};
    Row row{carried[0],
            toI32(sub(end, carried[0])),
            segments.mark(segment),
            readsRows ? segments.row(segment) : Value(),
            {}};
    if (segments.starts)
      row.first = compare(arith::CmpIPredicate::ne,
                          uniform(segments.starts(segment)), i32(0));
    llvm::append_range(after,
                       run(row, Values(ArrayRef(carried).drop_front(own))));
    return after;
  };
  loop(segments.first, segments.last, i32(1), all, body);
}

void Emitter::eachRow(const Segments &segments,
                      function_ref<void(const Row &)> run) {
  eachRow(segments, {}, [&](const Row &row, Values) {
    run(row);
    return Values();
  });
}

/// i1: a row of a view with so many nonzeros is written by who walks it; null:
/// every one is.
Value Emitter::isRun(Value length) {
  Value result;
  if (plan.view() && !plan.overwrites)
    result = compare(arith::CmpIPredicate::sgt, length, i32(0));
  if (!least)
    return result;
  Value isWhole = compare(arith::CmpIPredicate::ult, length, least);
  return result ? arith::AndIOp::create(b, result, isWhole).getResult()
                : isWhole;
}

void Emitter::emitWarpRow(const Segments &segments, const Row &row) {
  auto sum = [&] { closeLong(row, rowSum(segments, row, openLong(row))); };
  if (Value wanted = isRun(row.length))
    branch(wanted, sum);
  else
    sum();
}

void Emitter::emitColumnTile(const Segments &segments) {
  // A shuffle waits for what it moves: where the sum goes is not asked for
  // before, unless its row is read.
  auto run = [&](Row row, function_ref<Values(Values)> sumFrom) {
    const bool isRead = !row.first;
    if (isRead)
      row.mark = uniform(row.mark);
    Values sums = sumFrom(openLong(row));
    if (!isRead)
      row.mark = uniform(row.mark);
    closeLong(row, sums);
  };
  if (!readsAhead(segments))
    return eachRow(segments, [&](const Row &row) {
      run(row,
          [&](Values sums) { return rowSum(segments, row, std::move(sums)); });
    });
  Value begin = segments.bounds(segments.first).first;
  eachRow(segments, ask(segments, begin), [&](const Row &row, Values read) {
    run(row, [&](Values sums) {
      return rowSumAhead(segments, row, read, std::move(sums));
    });
    return read;
  });
}

void Emitter::synchronizeWarp() { NVVM::SyncWarpOp::create(b, i32(-1)); }

void Emitter::emitRows(const Segments &segments) {
  hasTeams() ? emitTeams(segments) : emitColumnTile(segments);
}

void Emitter::emitRowSegments(const Segments &segments, Value) {
  emitRows(segments);
}

} // namespace astfe::gpukernel
