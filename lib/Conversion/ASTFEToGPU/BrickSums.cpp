//===- BrickSums.cpp - what slots of bricks are summed up as --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "BrickEmitter.h"

using namespace mlir;

namespace astfe::gpukernel {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value BrickEmitter::placeOf(AffineMap map, const Coordinates &point) {
  Value place;
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    const unsigned dim = map.getDimPosition(r);
    place = place ? e.add(e.mul(place, extents[dim]), point[dim]) : point[dim];
  }
  return place ? place : e.index(0);
}

/// What a slot alone says of where it is: how far it is behind the brick's
/// first one, and its coordinates from the brick's first ones on.
auto BrickEmitter::localsOf(Value slot) -> Coordinates {
  Coordinates locals(plan.dims());
  locals[0] = e.toIndex(slot);
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (mode != plan.key && plan.usesMode(mode))
      locals[1 + mode] = e.toIndex(e.load(brick.coordinates[mode], slot));
  return locals;
}

/// How far the element at a point is behind the one at another, from which it
/// is `locals` away; null for nothing.
Value BrickEmitter::offsetOf(AffineMap map, const Coordinates &locals) {
  Value offset, stride;
  for (unsigned r = map.getNumResults(); r-- > 0;) {
    const unsigned dim = map.getDimPosition(r);
    if (Value steps = locals[dim]) {
      steps = stride ? e.mul(steps, stride) : steps;
      offset = offset ? e.add(offset, steps) : steps;
    }
    stride = stride ? e.mul(stride, extents[dim]) : extents[dim];
  }
  return offset;
}

/// Moves the inputs to where the brick's first slot has its elements, so that
/// an access is one wide multiply-add.
void BrickEmitter::moveInputs(Coordinates point) {
  point[0] = brick.base;
  for (unsigned dim = 1; dim <= plan.rank; ++dim)
    if (!point[dim])
      point[dim] = brick.origin[dim];
  moved.clear();
  for (auto [map, input, isComplex] :
       llvm::zip_equal(plan.inputs, inputs, plan.complex)) {
    Value place = placeOf(map, point);
    moved.push_back(
        e.viewFrom(input, isComplex ? e.mul(place, e.index(2)) : place));
  }
}

/// What a slot reads.
Values BrickEmitter::operandsAt(Value slot) {
  const Coordinates locals = localsOf(slot);
  Values operands;
  for (auto [map, input, isComplex] :
       llvm::zip_equal(plan.inputs, moved, plan.complex)) {
    Value offset = offsetOf(map, locals);
    if (!offset)
      offset = e.index(0);
    if (e.vector() > 1 && plan.hasColumns(map)) {
      operands.push_back(e.loadColumns(input, offset));
      continue;
    }
    for (Value at : partsAt(offset, isComplex ? 2 : 1))
      operands.push_back(e.load(input, at));
  }
  return operands;
}

Values BrickEmitter::partsAt(Value place, unsigned parts) {
  if (parts == 1)
    return {place};
  Value first = e.mul(place, e.index(parts));
  return {first, next(first)};
}

unsigned BrickEmitter::width() const {
  return plan.kernel.complex ? plan.kernel.parts() : e.vector();
}

Values BrickEmitter::load(Value buffer, Value place) {
  if (e.vector() > 1)
    return e.loadSums(buffer, place);
  Values values;
  for (Value at : partsAt(place, plan.kernel.parts()))
    values.push_back(e.toSum(e.load(buffer, at)));
  return values;
}

void BrickEmitter::store(const Values &values, Value buffer, Value place) {
  if (e.vector() > 1)
    return e.storeSums(values, buffer, place);
  for (auto [at, value] :
       llvm::zip_equal(partsAt(place, plan.kernel.parts()), values))
    e.store(value, buffer, at);
}

void BrickEmitter::add(Value buffer, Value place, const Values &values) {
  Values both;
  for (auto [before, value] : llvm::zip_equal(load(buffer, place), values))
    both.push_back(e.combine(before, value));
  store(both, buffer, place);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Values BrickEmitter::contribute(const Values &operands) {
  Values values;
  for (unsigned element = 0; element < width(); ++element)
    values.push_back(e.contribute(operands, element).front());
  return values;
}

Values BrickEmitter::noSums() {
  return Values(width(), e.identities().front());
}

/// The slots of a step are read before the first of them is summed, so that a
/// warp waits once for all. Those that are not there (i1; null: all are) repeat
/// others.
Values BrickEmitter::addStep(const Values &slots, const Values &isThere,
                             Values sums) {
  SmallVector<Values> operands;
  for (Value slot : slots)
    operands.push_back(operandsAt(slot));
  for (auto [read, is] : llvm::zip_equal(operands, isThere))
    for (auto [sum, value] : llvm::zip_equal(sums, contribute(read))) {
      Value more = e.combine(sum, value);
      sum = is ? e.select(is, more, sum) : more;
    }
  return sums;
}

/// Whole steps, and then one of what is left, if any: most segments have only
/// that one. The steps are counted, since ptxas would compute what a slot grows
/// by in each of them from the number of teams.
Values BrickEmitter::sumOf(Value begin, Value end) {
  begin = share.first(e, begin);
  const unsigned together = plan.slotsTogether(e.variant);
  Value number = share.count(e, e.sub(end, begin));
  Value left = arith::RemUIOp::create(e.b, number, e.i32(together));
  auto addWhole = [&](Value, Values carried) {
    Values slots{carried.pop_back_val()};
    while (slots.size() <= together)
      slots.push_back(e.add(slots.back(), share.times(e, e.i32(1))));
    Value next = slots.pop_back_val();
    Values sums = addStep(slots, Values(together), std::move(carried));
    sums.push_back(next);
    return sums;
  };
  Values carried = noSums();
  carried.push_back(begin);
  carried = e.unrolledLoop(e.i32(0), e.sub(number, left), e.i32(together),
                           std::move(carried), addWhole);
  Value rest = carried.pop_back_val();
  if (together == 1)
    return carried;
  Value some = e.compare(arith::CmpIPredicate::ne, left, e.i32(0));
  return e.branch(some, carried, [&] {
    Value last = e.sub(left, e.i32(1));
    Values slots{rest}, isThere{Value()};
    for (unsigned u = 1; u + 1 < together; ++u) {
      isThere.push_back(e.compare(arith::CmpIPredicate::slt, e.i32(u), left));
      slots.push_back(e.add(rest, share.times(e, e.min(e.i32(u), last))));
    }
    return addStep(slots, isThere, carried);
  });
}

//===----------------------------------------------------------------------===//
// Shares of teams
//===----------------------------------------------------------------------===//

Value TeamShare::times(Emitter &e, Value number) const {
  return log ? arith::ShLIOp::create(e.b, number, log).getResult() : number;
}

Value TeamShare::first(Emitter &e, Value begin) const {
  return log ? e.add(begin, within) : begin;
}

/// Of a team that has none, too, since it begins up to 2^log - 1 behind.
Value TeamShare::count(Emitter &e, Value slots) const {
  if (!log)
    return slots;
  Value others = e.sub(times(e, e.i32(1)), e.i32(1));
  return arith::ShRUIOp::create(e.b, e.add(slots, others), log);
}

} // namespace astfe::gpukernel
