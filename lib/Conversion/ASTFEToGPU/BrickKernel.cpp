//===- BrickKernel.cpp - GPU kernels over tensors of any rank -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickKernel.h"
#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "ASTFE/Runtime/ABI.h"
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

bool BrickPlan::usesMode(unsigned mode) const {
  auto uses = [&](AffineMap map) { return map.isFunctionOfDim(1 + mode); };
  return uses(output) || llvm::any_of(inputs, uses);
}

bool BrickPlan::flushesSegments() const {
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != key && output.isFunctionOfDim(1 + mode))
      return false;
  return true;
}

unsigned BrickPlan::slotsTogether() const {
  // A load in flight has an address of two registers and what it loads.
  unsigned registers = 0;
  for (auto [element, isComplex] : llvm::zip_equal(elements, complex))
    registers += 2 + (isComplex ? 2 : 1) *
                         llvm::divideCeil(element.getIntOrFloatBitWidth(), 32);
  return std::clamp(core::rules::kSlotRegisters / registers, 1u,
                    core::rules::kSlotsTogether);
}

bool BrickPlan::keepsSums() const {
  // A row has segments in many bricks.
  return isa<FloatType>(kernel.element) && kernel.element != kernel.stored;
}

FailureOr<BrickPlan> planBrickKernel(ComputeOp op) {
  FailureOr<ComputePlan> computed = planCompute(op, PlanTarget::GPU);
  if (failed(computed))
    return failure();
  BrickPlan plan;
  plan.kernel.op = op;
  plan.kernel.readElements(*computed);
  for (Value input : op.getInputs()) {
    Type element = getElementTypeOrSelf(input);
    auto number = dyn_cast<ComplexType>(element);
    plan.complex.push_back(bool(number));
    plan.elements.push_back(number ? number.getElementType() : element);
  }
  plan.kernel.layout = toCore(op.getPattern().getType().getLayout());
  plan.kernel.overwrites = op.getOverwrite();
  if (failed(plan.kernel.readScalars()))
    return failure();
  plan.rank = op.getPatternRank();
  plan.key = computed->keys.front() - 1;
  if (computed->lanes == Lanes::Dense)
    plan.laneDim = computed->laneDim;
  SmallVector<AffineMap> maps = op.getMapArray();
  plan.output = maps.pop_back_val();
  plan.inputs = std::move(maps);
  return plan;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

SmallVector<BrickArgument> brickArguments(const BrickPlan &plan,
                                          unsigned bits) {
  MLIRContext *context = plan.kernel.element.getContext();
  Type narrow = IntegerType::get(context, 16),
       wide = IntegerType::get(context, 64);
  SmallVector<BrickArgument> result;
  for (int64_t table : {ASTFE_BRICK_SLOT, ASTFE_BRICK_ORIGIN, ASTFE_RANGE_ROW,
                        ASTFE_RANGE_SEGMENT, ASTFE_RANGE_SLOT})
    result.push_back({BrickRole::Table, wide, table});
  result.push_back({BrickRole::Table, narrow, ASTFE_BRICK_SEGMENT_LAST});
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (plan.usesMode(mode))
      result.push_back({BrickRole::Table, IntegerType::get(context, bits),
                        ASTFE_BRICK_COORDINATE + int64_t(mode)});
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    result.push_back({BrickRole::Input, plan.elements[i], int64_t(i)});
  result.push_back({BrickRole::Output, plan.kernel.stored});
  if (plan.keepsSums())
    result.push_back({BrickRole::Sums, plan.kernel.element});
  result.push_back({BrickRole::Bricks, wide});
  result.push_back({BrickRole::Ranges, wide});
  for (unsigned dim = 1; dim < plan.dims(); ++dim)
    result.push_back({BrickRole::Extent, wide, int64_t(dim)});
  for (size_t i = 0; i < plan.kernel.scalars.size(); ++i)
    result.push_back({BrickRole::Scalar, plan.kernel.stored, int64_t(i)});
  return result;
}

static std::string tableName(int64_t table) {
  switch (table) {
  case ASTFE_BRICK_SLOT:
    return "brick_slot";
  case ASTFE_BRICK_ORIGIN:
    return "brick_origin";
  case ASTFE_RANGE_ROW:
    return "range_row";
  case ASTFE_RANGE_SEGMENT:
    return "range_segment";
  case ASTFE_RANGE_SLOT:
    return "range_slot";
  case ASTFE_BRICK_SEGMENT_LAST:
    return "segment_last";
  default:
    return "coordinate:" + std::to_string(table - ASTFE_BRICK_COORDINATE);
  }
}

static std::string nameOf(const BrickArgument &argument,
                          const BrickPlan &plan) {
  const std::string number = std::to_string(argument.number);
  switch (argument.role) {
  case BrickRole::Table:
    return tableName(argument.number);
  case BrickRole::Input:
    return plan.inputs[size_t(argument.number)].isFunctionOfDim(0)
               ? "values"
               : "dense:" + number;
  case BrickRole::Output:
    return "output";
  case BrickRole::Sums:
    return "sums";
  case BrickRole::Bricks:
    return "bricks";
  case BrickRole::Ranges:
    return "ranges";
  case BrickRole::Extent:
    return "extent:" + number;
  case BrickRole::Scalar:
    return "scalar:" + number;
  }
  llvm_unreachable("every role has a name");
}

std::string brickKernelName(unsigned bits) {
  return "bricks" + std::to_string(bits);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
/// A coordinate for each dimension of the iteration space, of type index.
using Point = SmallVector<Value, 8>;

class BrickEmitter {
public:
  BrickEmitter(OpBuilder &builder, Location loc, const BrickPlan &plan)
      : e(builder, loc, plan.kernel, Variant()), plan(plan) {}

  void bind(ArrayRef<BrickArgument> arguments, ValueRange values);
  void emit();

private:
  Value next(Value at) { return e.add(at, e.index(1)); }
  Value table(int64_t number, Value at) {
    return e.toIndex(e.load(tables.lookup(number), at));
  }
  /// Where the point's element of an operand is.
  Value placeOf(AffineMap map, const Point &point);
  /// A loop over [from, to), of which this lane takes its share of 32 where
  /// lanes have rows of their own.
  void eachRow(Value from, Value to, function_ref<void(Value)> run);
  void eachTile(function_ref<void()> run);
  void eachOwned(Point point, unsigned result, Value first, Value end,
                 function_ref<void(Value)> run);
  void emitRange(Value range);
  void emitBrick(Value range, Value brick);
  void emitSegment(Point point, const Point &origin, Value begin, Value end);
  void eachDense(Point &point, unsigned dim, function_ref<void()> run);
  Point localsOf(Value slot);
  Value offsetOf(AffineMap map, const Point &locals);
  Values operandsAt(Point point, const Point &origin, Value slot);
  void emitSum(const Point &point, const Point &origin, Value begin, Value end);
  /// The places of the parts of an element.
  Values partsAt(Value place, unsigned parts);
  /// What a slot's operands are summed up as, by parts.
  Values contribute(const Values &operands);
  void update(const Point &point, const Values &values);
  void whereActive(function_ref<void()> run);

  Emitter e;
  const BrickPlan &plan;
  llvm::DenseMap<int64_t, Value> tables;
  Values inputs;
  Value output, bricks, ranges;
  Value sums; ///< what is added to: the output, or a buffer of its own
  Point extents;
  Value column, active; ///< of this lane, with lanes over a dimension
};
} // namespace

void BrickEmitter::bind(ArrayRef<BrickArgument> arguments, ValueRange values) {
  extents.resize(plan.dims());
  for (auto [argument, value] : llvm::zip_equal(arguments, values)) {
    Value bound = argument.isPointer() ? viewOf(e.b, value) : value;
    switch (argument.role) {
    case BrickRole::Table:
      tables[argument.number] = bound;
      break;
    case BrickRole::Input:
      inputs.push_back(bound);
      break;
    case BrickRole::Output:
      output = sums = bound;
      break;
    case BrickRole::Sums:
      sums = bound;
      break;
    case BrickRole::Bricks:
      bricks = e.toIndex(bound);
      break;
    case BrickRole::Ranges:
      ranges = e.toIndex(bound);
      break;
    case BrickRole::Extent:
      extents[size_t(argument.number)] = e.toIndex(bound);
      break;
    case BrickRole::Scalar:
      e.scalars.push_back(bound);
      break;
    }
  }
}

Value BrickEmitter::placeOf(AffineMap map, const Point &point) {
  Value place;
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    const unsigned dim = map.getDimPosition(r);
    place = place ? e.add(e.mul(place, extents[dim]), point[dim]) : point[dim];
  }
  return place ? place : e.index(0);
}

void BrickEmitter::whereActive(function_ref<void()> run) {
  active ? e.branch(active, run) : run();
}

void BrickEmitter::eachRow(Value from, Value to,
                           function_ref<void(Value)> run) {
  if (plan.laneDim)
    return e.loop(from, to, e.index(1), run);
  e.loop(e.add(from, e.toIndex(e.lane)), to, e.index(kLanes), run);
}

/// Calls `run` with the place of each element of the output in the rows
/// [first, end) of the key.
void BrickEmitter::eachOwned(Point point, unsigned result, Value first,
                             Value end, function_ref<void(Value)> run) {
  if (result == plan.output.getNumResults())
    return whereActive([&] {
      for (Value place :
           partsAt(placeOf(plan.output, point), plan.kernel.parts()))
        run(place);
    });
  const unsigned dim = plan.output.getDimPosition(result);
  auto inner = [&](Value at) {
    Point further = point;
    further[dim] = at;
    eachOwned(further, result + 1, first, end, run);
  };
  if (dim == plan.laneDim)
    return inner(column);
  if (dim == 1 + plan.key)
    return eachRow(first, end, inner);
  e.loop(e.index(0), extents[dim], e.index(1), inner);
}

/// The coordinates of a slot that only it says, from the brick's first ones.
auto BrickEmitter::localsOf(Value slot) -> Point {
  Point locals(plan.dims());
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (mode != plan.key && plan.usesMode(mode))
      locals[1 + mode] = table(ASTFE_BRICK_COORDINATE + mode, slot);
  return locals;
}

/// How far the element at a point is behind the one at another, from which it
/// is `locals` away; null for nothing.
Value BrickEmitter::offsetOf(AffineMap map, const Point &locals) {
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

/// What a slot reads. The element at the brick's first coordinates is the same
/// for all slots of a segment, so that a slot adds its own to it only.
Values BrickEmitter::operandsAt(Point point, const Point &origin, Value slot) {
  point[0] = slot;
  const Point locals = localsOf(slot);
  for (unsigned dim = 1; dim <= plan.rank; ++dim)
    if (locals[dim])
      point[dim] = origin[dim];
  Values operands;
  for (auto [map, input, isComplex] :
       llvm::zip_equal(plan.inputs, inputs, plan.complex)) {
    Value place = placeOf(map, point);
    if (Value offset = offsetOf(map, locals))
      place = e.add(place, offset);
    for (Value at : partsAt(place, isComplex ? 2 : 1))
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

Values BrickEmitter::contribute(const Values &operands) {
  Values parts;
  for (unsigned part = 0; part < plan.kernel.parts(); ++part)
    parts.push_back(e.contribute(operands, part).front());
  return parts;
}

void BrickEmitter::update(const Point &point, const Values &values) {
  whereActive([&] {
    Values places = partsAt(placeOf(plan.output, point), plan.kernel.parts());
    for (auto [place, value] : llvm::zip_equal(places, values))
      e.store(e.combine(e.toSum(e.load(sums, place)), value), sums, place);
  });
}

/// Loops over the dense dimensions from `dim` on, but that of the lanes.
void BrickEmitter::eachDense(Point &point, unsigned dim,
                             function_ref<void()> run) {
  if (dim == plan.dims())
    return run();
  if (dim == plan.laneDim) {
    point[dim] = column;
    return eachDense(point, dim + 1, run);
  }
  e.loop(e.index(0), extents[dim], e.index(1), [&](Value at) {
    point[dim] = at;
    eachDense(point, dim + 1, run);
  });
}

/// Sums a segment's slots, in their order, and updates its row. The slots of a
/// step are read before the first of them is summed, so that a warp waits once
/// for all; those behind the segment's end read the last one again.
void BrickEmitter::emitSum(const Point &point, const Point &origin, Value begin,
                           Value end) {
  const unsigned together = plan.slotsTogether();
  Value last = e.sub(end, e.index(1));
  auto step = [&](Value from, Values sums) {
    SmallVector<Value> isThere(together);
    SmallVector<Values> operands;
    for (unsigned u = 0; u < together; ++u) {
      Value slot = e.add(from, e.index(u));
      if (u > 0) {
        isThere[u] = e.compare(arith::CmpIPredicate::ult, slot, end);
        slot = e.select(isThere[u], slot, last);
      }
      operands.push_back(operandsAt(point, origin, slot));
    }
    for (unsigned u = 0; u < together; ++u)
      for (auto [sum, value] : llvm::zip_equal(sums, contribute(operands[u]))) {
        Value more = e.combine(sum, value);
        sum = u > 0 ? e.select(isThere[u], more, sum) : more;
      }
    return sums;
  };
  Values begins(plan.kernel.parts(), e.identities().front());
  update(point, e.loop(begin, end, e.index(together), begins, step));
}

void BrickEmitter::emitSegment(Point point, const Point &origin, Value begin,
                               Value end) {
  eachDense(point, 1 + plan.rank, [&] {
    if (plan.flushesSegments())
      return emitSum(point, origin, begin, end);
    e.loop(begin, end, e.index(1), [&](Value slot) {
      Values operands = operandsAt(point, origin, slot);
      const Point locals = localsOf(slot);
      Point here = point;
      for (unsigned dim = 1; dim <= plan.rank; ++dim)
        if (locals[dim])
          here[dim] = e.add(origin[dim], locals[dim]);
      update(here, contribute(operands));
    });
  });
}

void BrickEmitter::emitBrick(Value range, Value brick) {
  Value place = e.add(e.mul(brick, next(ranges)), range);
  Value first = table(ASTFE_RANGE_SEGMENT, place),
        stop = table(ASTFE_RANGE_SEGMENT, next(place)),
        slot = table(ASTFE_RANGE_SLOT, place),
        base = table(ASTFE_BRICK_SLOT, brick);
  Point origin(plan.dims());
  Value origins = e.mul(brick, e.index(plan.rank));
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (plan.usesMode(mode))
      origin[1 + mode] =
          table(ASTFE_BRICK_ORIGIN, e.add(origins, e.index(mode)));
  eachRow(first, stop, [&](Value segment) {
    auto endOf = [&](Value of) {
      return next(e.add(base, table(ASTFE_BRICK_SEGMENT_LAST, of)));
    };
    Value follows = e.compare(arith::CmpIPredicate::ugt, segment, first);
    Value begin = e.branch(follows, {slot}, [&] {
                     return Values{endOf(e.sub(segment, e.index(1)))};
                   }).front();
    Point point(plan.dims());
    point[1 + plan.key] =
        e.add(origin[1 + plan.key],
              table(ASTFE_BRICK_COORDINATE + plan.key, segment));
    emitSegment(point, origin, begin, endOf(segment));
  });
}

void BrickEmitter::emitRange(Value range) {
  const bool keeps = sums != output;
  auto eachOwned = [&](function_ref<void(Value)> run) {
    this->eachOwned(Point(plan.dims()), 0, table(ASTFE_RANGE_ROW, range),
                    table(ASTFE_RANGE_ROW, next(range)), run);
  };
  if (plan.kernel.overwrites || keeps) {
    eachOwned([&](Value place) {
      e.store(plan.kernel.overwrites ? e.identities().front()
                                     : e.toSum(e.load(output, place)),
              sums, place);
    });
    // Other lanes add to rows that this one has cleared.
    if (!plan.laneDim)
      e.synchronizeWarp();
  }
  e.loop(e.index(0), bricks, e.index(1), [&](Value brick) {
    emitBrick(range, brick);
    // A row is another lane's in the next brick.
    if (!plan.laneDim)
      e.synchronizeWarp();
  });
  if (keeps)
    eachOwned(
        [&](Value place) { e.store(e.load(sums, place), output, place); });
}

/// Calls `run` with this lane's column of each tile of this block's.
void BrickEmitter::eachTile(function_ref<void()> run) {
  if (!plan.laneDim)
    return run();
  Value extent = extents[*plan.laneDim];
  Value y = gpu::BlockIdOp::create(e.b, gpu::Dimension::y),
        blocks = gpu::GridDimOp::create(e.b, gpu::Dimension::y),
        tile = e.index(kLanes);
  e.loop(e.mul(y, tile), extent, e.mul(blocks, tile), [&](Value from) {
    Value mine = e.add(from, e.toIndex(e.lane));
    active = e.compare(arith::CmpIPredicate::ult, mine, extent);
    column = e.select(active, mine, e.index(0));
    run();
  });
}

void BrickEmitter::emit() {
  Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
  e.lane = e.bitAnd(thread, kLanes - 1);
  // A broadcast tells ptxas that branches on it are the same in all lanes.
  e.warp = e.uniform(arith::ShRUIOp::create(e.b, thread, e.i32(5)));
  Value block = gpu::BlockIdOp::create(e.b, gpu::Dimension::x),
        blocks = gpu::GridDimOp::create(e.b, gpu::Dimension::x),
        warps = e.index(kBlockWarps);
  Value first = e.add(e.mul(block, warps), e.toIndex(e.warp));
  eachTile([&] {
    e.loop(first, ranges, e.mul(blocks, warps),
           [&](Value range) { emitRange(range); });
  });
}

static void emitKernel(OpBuilder &builder, const BrickPlan &plan,
                       unsigned bits) {
  const SmallVector<BrickArgument> arguments = brickArguments(plan, bits);
  SmallVector<KernelArgument> described;
  for (const BrickArgument &argument : arguments)
    described.push_back(
        {argument.type, argument.isPointer(), nameOf(argument, plan)});
  auto function =
      emitFunction(builder, plan.kernel.op->getLoc(), brickKernelName(bits),
                   described, [&](ImplicitLocOpBuilder &b, ValueRange values) {
                     BrickEmitter emitter(b, b.getLoc(), plan);
                     emitter.bind(arguments, values);
                     emitter.emit();
                     b.setInsertionPointToEnd(b.getInsertionBlock());
                   });
  function->setAttr(kColumnTileAttr,
                    builder.getI64IntegerAttr(plan.laneDim ? kLanes : 0));
}

gpu::GPUModuleOp emitBrickKernels(OpBuilder &builder, const BrickPlan &plan,
                                  StringRef moduleName) {
  auto module =
      gpu::GPUModuleOp::create(builder, plan.kernel.op->getLoc(), moduleName);
  describe(module, plan.kernel, plan.elements);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  for (unsigned bits : {16u, 32u})
    emitKernel(builder, plan, bits);
  return module;
}

} // namespace astfe::gpukernel
