//===- RowTeams.cpp - RowSegments by teams of lanes -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp is T teams of lanes that have the columns of one row; with one column
// each lane is a team. It takes T / L rows at a time, L teams a row, four
// nonzeros of a team in flight, with 4 L the power of two at or above the mean
// length of the span's rows; L partial sums meet in a butterfly of shuffles.
// Where no row of a view's warp has more than one or two for each of its teams,
// no more are loaded.
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
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Nonzeros of a team whose loads are in flight together.
static constexpr int64_t kUnroll = core::rules::kInFlight;

int64_t Emitter::teamInFlight() const {
  return plan.complex && plan.elementBytes() == 8 ? kUnroll / 2 : kUnroll;
}

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

/// `sums` and the contributions of `number` nonzeros of a row from `slot` on,
/// every width-th one. Loads beyond its end repeat its last nonzero, which is
/// not added.
Values Emitter::teamRound(const Segments &segments, const Row &row, Value slot,
                          Value width, int64_t number, Values sums) {
  Value end = add(row.begin, likeSlot(row.begin, row.length));
  Value last = sub(end, likeSlot(row.begin, i32(1)));
  SmallVector<Point> points;
  Values inside;
  for (int64_t u = 0; u < number; ++u) {
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
}

/// The same of all nonzeros within, within + width, ...
Values Emitter::teamSum(const Segments &segments, const Row &row, Value within,
                        Value width, Values sums) {
  auto slots = [&](Value count) { return likeSlot(row.begin, count); };
  Value end = add(row.begin, slots(row.length));
  width = slots(width);
  const int64_t unroll = teamInFlight();
  return loop(
      add(row.begin, slots(within)), end, mul(width, slots(i32(unroll))),
      std::move(sums), [&](Value slot, Values sums) {
        return teamRound(segments, row, slot, width, unroll, std::move(sums));
      });
}

/// The same of rows of which no team has more than `number` nonzeros.
Values Emitter::shortTeamSum(const Segments &segments, const Row &row,
                             Value within, Value width, int64_t number,
                             const Values &sums) {
  Value some = compare(arith::CmpIPredicate::slt, within, row.length);
  return branch(some, sums, [&] {
    Value slot = add(row.begin, likeSlot(row.begin, within));
    return teamRound(segments, row, slot, likeSlot(row.begin, width), number,
                     sums);
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
  return sumOfTeams(log, variant.lanes, std::move(sums));
}

/// What 2^log teams have summed up, which are `distance` lanes apart: as many
/// steps as there are, one within the other, which takes fewer instructions
/// than a loop does.
Values Emitter::sumOfTeams(Value log, int64_t distance, Values sums) {
  if (distance == kLanes)
    return sums;
  const int64_t step = llvm::Log2_64(uint64_t(distance / variant.lanes));
  Value some = compare(arith::CmpIPredicate::sgt, log, i32(step));
  return branch(some, sums, [&] {
    Values both;
    for (Value sum : sums) {
      Value other = gpu::ShuffleOp::create(b, sum, i32(distance), i32(kLanes),
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      both.push_back(combine(sum, other));
    }
    return sumOfTeams(log, 2 * distance, both);
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
    if (segments.from) {
      const Segments own = segments.from(row.begin);
      row.begin = i32(0);
      return emitTeamRow(own, row, team, allTeams());
    }
    emitTeamRow(segments, row, team, allTeams());
  });
  active = hasColumns;
}

/// `sums` and the contributions of a row for each 2^log teams, of which none
/// has more than `rounds` and one nonzeros. Behind them, where rows may be long
/// (i1), the lanes (i32, bits) that lead those: they are left to all lanes.
Values Emitter::groupSum(const Segments &segments, const Row &row, Value within,
                         Value log, Value rounds, Value isLong,
                         const Values &sums) {
  Value width = arith::ShLIOp::create(b, i32(1), log);
  auto ofAnyLength = [&] {
    Row part = row;
    Value lanes;
    if (isLong) {
      Value leads = compare(arith::CmpIPredicate::eq, within, i32(0));
      if (variant.lanes > 1)
        leads = arith::AndIOp::create(
            b, leads,
            compare(arith::CmpIPredicate::eq,
                    bitAnd(lane, int64_t(variant.lanes) - 1), i32(0)));
      lanes = ballot(arith::AndIOp::create(b, isLong, leads));
      part.length = select(isLong, i32(0), row.length);
    }
    Values result = teamsStage()
                        ? stagedTeamSum(segments, part, within, width, sums)
                        : teamSum(segments, part, within, width, sums);
    if (lanes)
      result.push_back(lanes);
    return result;
  };
  // Packed rows are no faster with it, and of several columns they spill on
  // sm_80.
  if (teamsStage() || !plan.view())
    return ofAnyLength();
  auto types = llvm::to_vector(TypeRange(ValueRange(sums)));
  if (isLong)
    types.push_back(b.getI32Type());
  auto ofAtMost = [&](int64_t number) {
    return [&, number] {
      Values result = shortTeamSum(segments, row, within, width, number, sums);
      if (isLong)
        result.push_back(i32(0));
      return result;
    };
  };
  auto someHasMoreThan = [&](int64_t number) {
    Value more = compare(arith::CmpIPredicate::sgt, rounds, i32(number - 1));
    return compare(arith::CmpIPredicate::ne, ballot(more), i32(0));
  };
  return either(
      someHasMoreThan(1), types,
      [&] {
        return either(someHasMoreThan(2), types, ofAnyLength, ofAtMost(2));
      },
      ofAtMost(1));
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
  Value rounds = arith::ShRSIOp::create(b, sub(row.length, i32(1)), log);
  Value isLong;
  if (plan.view() || plan.oneColumn) {
    const int64_t most =
        core::rules::kTeamRounds * core::nonzerosOfGPUTeam(variant.lanes);
    isLong = compare(arith::CmpIPredicate::sge, rounds, i32(most));
    active = arith::AndIOp::create(b, active, negate(isLong));
  }
  const Row mine = row;
  const Segments *slots = &segments;
  Segments own;
  if (segments.from) {
    own = segments.from(row.begin);
    slots = &own;
    row.begin = i32(0);
  }
  Values sums = groupSum(*slots, row, within, log, rounds, isLong,
                         open(row.mark, row.first));
  Value longRows;
  if (isLong)
    longRows = sums.pop_back_val();
  close(row.mark, row.first, sumOfTeams(log, variant.lanes, sums));
  active = hasColumns;
  if (isLong)
    emitLongRows(segments, mine, longRows);
}

void Emitter::emitTeams(const Segments &segments) {
  Value log = teamsPerSegment(*this, segments);
  Value together = arith::ShRUIOp::create(b, i32(teams()), log);
  loop(segments.first, segments.last, together,
       [&](Value group) { emitRowGroup(segments, group, log); });
}

} // namespace astfe::gpukernel
