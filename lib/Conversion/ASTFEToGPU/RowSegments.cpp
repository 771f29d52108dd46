//===- RowSegments.cpp - RowSegments -> ColumnTile | Teams ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ColumnTile: the warp takes one row at a time, accumulators in registers, 32
// nonzeros loaded together and then four or eight in flight. The rows' bounds
// and numbers are loaded 32 at a time too.
//
// Teams: a warp is T teams of lanes that have the columns of one row; with one
// column each lane is a team. It takes T / L rows at a time, L teams a row,
// four nonzeros of a team in flight, with 4 L the power of two at or above the
// mean length of the span's rows; L partial sums meet in a butterfly of
// shuffles.
//
// Where eight lanes have the columns, as for 32 of f32, each loads one nonzero
// of a view's row, and the team reads them from shared memory: two loads for
// eight nonzeros, not for one, and the next ones' while these are multiplied.
//
// Rows that are much longer than the others, of a view or with one column, have
// all teams, one after another.
//
//   8 columns of f32: 2 lanes of 4, T = 16. Rows of 16 nonzeros: L = 4, so that
//   a warp loads 16 rows of B by an instruction and sums up 4 rows at a time
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/GPUConstants.h"
#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Nonzeros whose loads are in flight together.
static constexpr int64_t kUnroll = core::rules::kInFlight;

/// The same of a team: complex numbers of f64 take four registers each.
static int64_t teamInFlight(const Emitter &e) {
  return e.plan.complex && e.plan.elementBytes() == 8 ? kUnroll / 2 : kUnroll;
}

/// Twice as many where registers are left: of elements of 32 bits, four of them
/// a lane only in kernels of rows without partial ones. (All else spills on
/// sm_80.)
static int64_t inFlight(const Emitter &e) {
  // Partial rows take registers, too.
  if (e.plan.complex)
    return e.plan.partials() ? teamInFlight(e) / 2 : teamInFlight(e);
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

/// `sums` and the contributions of all of a row's nonzeros.
Values Emitter::rowSum(const Segments &segments, const Row &row, Values sums) {
  Value last = sub(row.length, i32(1));
  const int64_t unroll = inFlight(*this);
  auto chunk = [&](Value begin, Values sums) {
    Value mine = min(add(begin, lane), last);
    Value slot = add(row.begin, likeSlot(row.begin, mine));
    stage(load(slot, segments.column(slot, row.begin), row.row));
    Value count = min(sub(row.length, begin), i32(kLanes));
    auto take = [&](Value from, int64_t number, Values sums) {
      return accumulate(staged(from, number, row.row), std::move(sums));
    };
    Value whole = bitAnd(count, -unroll);
    sums = unrolledLoop(
        i32(0), whole, i32(unroll), sums,
        [&](Value t, Values sums) { return take(t, unroll, sums); });
    Value from = whole;
    for (int64_t rest = unroll / 2; rest > 0; rest /= 2) {
      Value bit = bitAnd(count, rest);
      Value some = compare(arith::CmpIPredicate::ne, bit, i32(0));
      sums = branch(some, sums, [&] { return take(from, rest, sums); });
      from = add(from, bit);
    }
    return sums;
  };
  return loop(i32(0), row.length, i32(kLanes), std::move(sums), chunk);
}

/// Runs the segments one by one. Where the next one ends is read while one
/// runs.
void Emitter::eachRow(const Segments &segments,
                      function_ref<void(const Row &)> run) {
  bool readsRows = llvm::any_of(plan.inputs, std::mem_fn(&Operand::needsRow));
  Value last = sub(segments.last, i32(1));
  Value begin = segments.bounds(segments.first).first;
  Value end = segments.end(min(segments.first, last));
  auto body = [&](Value segment, Values carried) {
    Value end = uniform(carried[1]);
    Value next = segments.end(min(add(segment, i32(1)), last));
    Row row{carried[0],
            toI32(sub(end, carried[0])),
            uniform(segments.mark(segment)),
            readsRows ? segments.row(segment) : Value(),
            {}};
    if (segments.starts)
      row.first = compare(arith::CmpIPredicate::ne,
                          uniform(segments.starts(segment)), i32(0));
    run(row);
    return Values{end, next};
  };
  loop(segments.first, segments.last, i32(1), {begin, end}, body);
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
  eachRow(segments, [&](const Row &row) { emitWarpRow(segments, row); });
}

void Emitter::synchronizeWarp() { NVVM::SyncWarpOp::create(b, i32(-1)); }

/// log2 of the teams that share a segment, at most all: four nonzeros of each
/// cover the mean length.
static Value teamsPerSegment(Emitter &e, const Segments &segments) {
  Value number = arith::MaxSIOp::create(
      e.b, e.sub(segments.last, segments.first), e.i32(1));
  Value rounded = e.add(segments.slots, e.sub(number, e.i32(1)));
  Value mean = arith::DivUIOp::create(e.b, rounded, number);
  Value each = arith::DivUIOp::create(e.b, e.add(mean, e.i32(kUnroll - 1)),
                                      e.i32(kUnroll));
  Value below = e.sub(each, e.i32(1));
  Value zeros = math::CountLeadingZerosOp::create(e.b, below);
  return e.min(e.sub(e.i32(32), zeros),
               e.i32(llvm::Log2_64(uint64_t(e.teams()))));
}

/// `sums` and the contributions of the nonzeros within, within + width, ... of
/// a row. Loads beyond its end repeat its last nonzero, which is not added.
Values Emitter::teamSum(const Segments &segments, const Row &row, Value within,
                        Value width, Values sums) {
  auto slots = [&](Value count) { return likeSlot(row.begin, count); };
  Value end = add(row.begin, slots(row.length));
  Value last = sub(end, slots(i32(1)));
  width = slots(width);
  const int64_t unroll = teamInFlight(*this);
  return loop(
      add(row.begin, slots(within)), end, mul(width, slots(i32(unroll))),
      std::move(sums), [&](Value slot, Values sums) {
        SmallVector<Point> points;
        Values inside;
        for (int64_t u = 0; u < unroll; ++u) {
          inside.push_back(compare(arith::CmpIPredicate::slt, slot, end));
          Value at = min(slot, last);
          points.push_back(load(at, segments.column(at, row.begin), row.row));
          slot = add(slot, width);
        }
        // All loads come before what waits for the first of them, where the
        // registers suffice.
        if (!plan.layout.deterministic)
          return accumulateWhere(points, inside, std::move(sums));
        for (auto [point, valid] : llvm::zip_equal(points, inside))
          sums = accumulateWhere(point, valid, std::move(sums));
        return sums;
      });
}

/// The largest number that a team has. (redux.sync is of sm_80 and later.)
static Value mostOfTeams(Emitter &e, Value number) {
  for (int64_t lanes = e.variant.lanes; lanes < kLanes; lanes *= 2) {
    Value other = gpu::ShuffleOp::create(e.b, number, e.i32(lanes),
                                         e.i32(kLanes), gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    number = arith::MaxSIOp::create(e.b, number, other);
  }
  return e.uniform(number);
}

/// The same where lanes load a nonzero each, and then read those of their team
/// from shared memory. All lanes of the warp go on for as long as the longest
/// of its rows. While rows of B are on their way, the next nonzeros are, too.
Values Emitter::stagedTeamSum(const Segments &segments, const Row &row,
                              Value within, Value width, Values sums) {
  const int64_t lanes = variant.lanes;
  Value longest = mostOfTeams(*this, row.length);
  // Of the teams of a row, which are neighbours.
  Value firstLane = mul(sub(team, within), i32(lanes));
  Value first = mul(within, i32(kUnroll));
  Value step = mul(width, i32(lanes)), round = mul(width, i32(kUnroll));
  auto slots = [&](Value count) { return likeSlot(row.begin, count); };
  Value last = sub(add(row.begin, slots(row.length)), slots(i32(1)));
  // Column and scalars of this lane's nonzero.
  auto loadOwn = [&](Value slot) {
    // Of a row without nonzeros, those of one before it, or the first.
    Value at = arith::MaxSIOp::create(b, min(slot, last), slots(i32(0)));
    Value column = segments.column(at, row.begin);
    Values own{column};
    llvm::append_range(own, load(at, column, row.row).scalars);
    llvm::erase(own, Value());
    return own;
  };
  auto keepOwn = [&](ArrayRef<Value> own) {
    Point point = place(own.front());
    own = own.drop_front();
    for (const Operand &input : plan.inputs) {
      point.scalars.push_back(input.perNonzero() ? own.front() : Value());
      own = own.drop_front(input.perNonzero() ? 1 : 0);
    }
    stage(point);
  };
  // `left` of the row from this team's first one on.
  auto take = [&](int64_t number, Value left, const Values &sums) {
    SmallVector<Point> points;
    Values inside;
    Value from = add(firstLane, first);
    for (int64_t r = 0; r < number; r += kUnroll) {
      points.append(staged(from, kUnroll, row.row));
      for (int64_t u = r; u < std::min(number, r + kUnroll); ++u)
        inside.push_back(compare(arith::CmpIPredicate::sgt, left, i32(u - r)));
      from = add(from, round);
      left = sub(left, round);
    }
    points.truncate(size_t(number));
    return accumulateWhere(points, inside, sums);
  };
  auto takeAll = [&] {
    Value slot = add(row.begin, slots(sub(lane, firstLane)));
    Values carried = sums;
    carried.append({slot, sub(row.length, first)});
    llvm::append_range(carried, loadOwn(slot));
    carried = unrolledLoop(
        i32(0), longest, step, carried, [&](Value begin, Values carried) {
          Values sums(carried.begin(), carried.begin() + vector());
          Value slot = carried[vector()], left = carried[vector() + 1];
          Values own(carried.begin() + vector() + 2, carried.end());
          keepOwn(own);
          slot = add(slot, slots(step));
          Value more =
              compare(arith::CmpIPredicate::slt, add(begin, step), longest);
          own = branch(more, own, [&] { return loadOwn(slot); });
          // Of the team that has the most of them.
          Value all = sub(longest, begin);
          Value isLong = compare(arith::CmpIPredicate::sgt, all, round);
          Value most = select(isLong, sub(all, sub(round, i32(kUnroll))),
                              min(all, i32(kUnroll)));
          auto some = [&](int64_t number) { return take(number, left, sums); };
          sums = oneOf(2, lanes, 2, most, TypeRange(ValueRange(sums)), some);
          sums.append({slot, sub(left, step)});
          llvm::append_range(sums, own);
          return sums;
        });
    carried.truncate(vector());
    return carried;
  };
  Value some = compare(arith::CmpIPredicate::sgt, longest, i32(0));
  return branch(some, sums, takeAll);
}

/// `sums` of one of 2^log teams and the contributions of a row, of which each
/// has a part.
Values Emitter::teamRowSum(const Segments &segments, const Row &row,
                           Value within, Value log, Values sums) {
  Value width = arith::ShLIOp::create(b, i32(1), log);
  sums = teamsStage()
             ? stagedTeamSum(segments, row, within, width, std::move(sums))
             : teamSum(segments, row, within, width, std::move(sums));
  return loop(i32(0), log, i32(1), sums, [&](Value step, Values sums) {
    Value distance = arith::ShLIOp::create(b, i32(variant.lanes), step);
    for (Value &sum : sums) {
      Value other = gpu::ShuffleOp::create(b, sum, distance, i32(kLanes),
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      sum = combine(sum, other);
    }
    return sums;
  });
}

/// A row by 2^log teams; `active` says which lanes write it.
void Emitter::emitTeamRow(const Segments &segments, const Row &row,
                          Value within, Value log) {
  Values sums =
      teamRowSum(segments, row, within, log, open(row.mark, row.first));
  close(row.mark, row.first, sums);
}

Values Emitter::pieceSum(const Segments &segments, const Row &row) {
  if (!hasTeams())
    return rowSum(segments, row, identities());
  return teamRowSum(segments, row, team, allTeams(), identities());
}

Value Emitter::allTeams() { return i32(llvm::Log2_64(uint64_t(teams()))); }

/// One after the other by all teams: the rows of the lanes whose bits are set.
void Emitter::emitLongRows(const Segments &segments, const Row &mine,
                           Value lanes) {
  const Value hasColumns = active;
  Value leads = compare(arith::CmpIPredicate::eq, team, i32(0));
  active = hasColumns ? arith::AndIOp::create(b, leads, hasColumns).getResult()
                      : leads;
  eachLane(lanes, [&](Value from) {
    Row row;
    row.begin = broadcast(mine.begin, from);
    row.length = broadcast(mine.length, from);
    row.mark = broadcast(mine.mark, from);
    row.row = broadcast(mine.row, from);
    if (mine.first) {
      Value isFirst = select(mine.first, i32(1), i32(0));
      row.first =
          compare(arith::CmpIPredicate::ne, broadcast(isFirst, from), i32(0));
    }
    emitTeamRow(segments, row, team, allTeams());
  });
  active = hasColumns;
}

void Emitter::emitRowGroup(const Segments &segments, Value group, Value log) {
  const Value hasColumns = active;
  Value width = arith::ShLIOp::create(b, i32(1), log);
  Value within = arith::AndIOp::create(b, team, sub(width, i32(1)));
  Value ordinal = add(group, arith::ShRUIOp::create(b, team, log));
  Value valid = compare(arith::CmpIPredicate::slt, ordinal, segments.last);
  Value segment = min(ordinal, sub(segments.last, i32(1)));
  Row row;
  auto bounds = segments.bounds(segment);
  row.begin = bounds.first;
  row.length = select(valid, bounds.second, i32(0));
  row.mark = segments.mark(segment);
  row.row = segments.row(segment);
  row.first = isFirst(segments, segment);
  Value leads = compare(arith::CmpIPredicate::eq, within, i32(0));
  Value some = compare(arith::CmpIPredicate::sgt, row.length, i32(0));
  active = arith::AndIOp::create(b, leads, plan.overwrites ? valid : some);
  if (least) {
    Value isWhole = compare(arith::CmpIPredicate::ult, row.length, least);
    active = arith::AndIOp::create(b, active, isWhole);
    row.length = select(isWhole, row.length, i32(0));
  }
  if (hasColumns)
    active = arith::AndIOp::create(b, active, hasColumns);
  // Nobody has cut the rows of a view, and a packed row may be two warps' share
  // among rows of few nonzeros. With more columns there are no registers left
  // for it, and more lanes for a row.
  if (!plan.view() && !plan.oneColumn) {
    emitTeamRow(segments, row, within, log);
    active = hasColumns;
    return;
  }
  const int64_t rounds = core::rules::kTeamRounds;
  Value most = arith::ShLIOp::create(
      b, i32(rounds * core::nonzerosOfGPUTeam(variant.lanes)), log);
  Value isLong = compare(arith::CmpIPredicate::sgt, row.length, most);
  // A lane of each team stands for its row.
  Value first = arith::AndIOp::create(
      b, isLong,
      compare(arith::CmpIPredicate::eq,
              bitAnd(lane, int64_t(variant.lanes) - 1), i32(0)));
  Value lanes = ballot(arith::AndIOp::create(b, first, leads));
  Row whole = row;
  Value isShort = negate(isLong);
  row.length = select(isLong, i32(0), row.length);
  active = arith::AndIOp::create(b, active, isShort);
  emitTeamRow(segments, row, within, log);
  active = hasColumns;
  emitLongRows(segments, whole, lanes);
}

void Emitter::emitTeams(const Segments &segments) {
  Value log = teamsPerSegment(*this, segments);
  Value together = arith::ShRUIOp::create(b, i32(teams()), log);
  loop(segments.first, segments.last, together,
       [&](Value group) { emitRowGroup(segments, group, log); });
}

void Emitter::emitRows(const Segments &segments) {
  hasTeams() ? emitTeams(segments) : emitColumnTile(segments);
}

void Emitter::emitRowSegments(const Segments &segments, Value) {
  emitRows(segments);
}

} // namespace astfe::gpukernel
