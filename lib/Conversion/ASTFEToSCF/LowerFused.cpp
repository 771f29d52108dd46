//===- LowerFused.cpp - one astfe.fused to loops --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers have runs of whole rows. For each row every computation runs over the
// row's nonzeros before the next one does: those with dense dimensions by the
// same emitters as alone, those without in common passes (SlotSweep.h).
// Nonzeros count from 0 in each row: locals by nonzero are a worker's scratch,
// as long as its longest row, which stays in the nearest cache; a local by key
// is one value, in a register. Chains that gather from several operands run in
// stages over blocks of rows (RowBlocks.cpp). Rows that would be a large part of
// all work are left out, and cut afterwards (CutRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "LowerFused.h"
#include "ASTFE/Analysis/FusedPlan.h"
#include "ASTFE/Analysis/Remark.h"
#include "Extents.h"
#include "FusedRows.h"
#include "RowEpilogue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

FusedRows::FusedRows(ImplicitLocOpBuilder &builder, FusedOp op, ViewOp source,
                     const HostKernelOptions &options)
    : b(builder), op(op), source(source), view(openView(source)),
      options(options), lanes(sweepLanes(op, options.vectorBytes)) {
  for (auto [argument, operand] :
       llvm::zip(op.getBody().getArguments(), op.getOperands())) {
    buffers[argument] = operand;
    if (operand.getType().isIntOrIndexOrFloat())
      argument.replaceAllUsesWith(operand);
  }
  for (Operation &member : llvm::make_early_inc_range(op.getBody().front()))
    if (member.hasTrait<OpTrait::ConstantLike>())
      member.moveBefore(op);
}

LogicalResult FusedRows::plan() {
  for (ComputeOp compute : op.getBody().getOps<ComputeOp>()) {
    FailureOr<ComputePlan> plan = planCompute(compute, PlanTarget::Host);
    if (failed(plan))
      return failure();
    plans.try_emplace(compute, std::move(*plan));
  }
  for (Operation &member : op.getBody().front())
    if (isa<ComputeOp, linalg::GenericOp>(member))
      members.push_back(&member);
  stages = stagesOf();
  findKept();
  shareScratch();
  return success();
}

bool FusedRows::isKeyLocal(Value value) const {
  auto local = value.getDefiningOp<LocalOp>();
  return local && local.getMap().getDimPosition(0) != kNonzeroDim;
}

bool FusedRows::isPartial(Value value) const { return partial.contains(value); }

bool FusedRows::isScratch(Value value) const {
  return value.getDefiningOp<LocalOp>() && !isKeyLocal(value);
}

//===----------------------------------------------------------------------===//
// Runs of rows
//===----------------------------------------------------------------------===//

Value FusedRows::longestRow(Value first, Value last) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value begin = loadIndex(b, view.positions, first);
  Value none = arith::ConstantIndexOp::create(b, 0);
  auto loop = scf::ForOp::create(
      b, first, last, one, ValueRange{none, begin},
      [&](OpBuilder &, Location, Value row, ValueRange carried) {
        Value end =
            loadIndex(b, view.positions, arith::AddIOp::create(b, row, one));
        Value length = arith::SubIOp::create(b, end, carried[1]);
        Value longest = arith::MaxUIOp::create(b, carried[0], length);
        scf::YieldOp::create(b, ValueRange{longest, end});
      });
  return loop.getResult(0);
}

/// Locals by nonzero of which one is first written where the other one is last
/// read share a buffer: members read at a nonzero before they write there.
/// Softmax has one array, which holds scores, exponentials, and probabilities.
void FusedRows::shareScratch() {
  auto numberOf = [&](Operation *user) {
    return llvm::find(members, user) - members.begin();
  };
  struct Tenant {
    Value local;
    Type element;
    int64_t until;
  };
  SmallVector<Tenant> tenants;
  for (LocalOp local : op.getBody().getOps<LocalOp>()) {
    Value value = local.getResult();
    if (!isScratch(value) || value.use_empty())
      continue;
    int64_t from = members.size(), until = 0;
    for (Operation *user : value.getUsers()) {
      from = std::min<int64_t>(from, numberOf(user));
      until = std::max<int64_t>(until, numberOf(user));
    }
    Type element = getElementTypeOrSelf(value);
    auto *free = llvm::find_if(tenants, [&](const Tenant &tenant) {
      return tenant.element == element && tenant.until <= from;
    });
    if (free == tenants.end()) {
      tenants.push_back({value, element, until});
      free = &tenants.back();
    }
    free->until = until;
    sharedWith[value] = free->local;
  }
}

/// Locals by nonzero for so many of them.
void FusedRows::allocateScratch(Value slots) {
  slots = arith::AddIOp::create(b, slots, index(lanes));
  for (auto [local, owner] : sharedWith) {
    if (local == owner) {
      auto type = MemRefType::get({ShapedType::kDynamic},
                                  getElementTypeOrSelf(local));
      scratch.push_back(memref::AllocOp::create(
          b, type, slots, b.getI64IntegerAttr(kLineBytes)));
      buffers[local] = scratch.back();
    }
    buffers[local] = buffers.lookup(owner);
  }
}

void FusedRows::freeScratch() {
  for (Value buffer : scratch)
    memref::DeallocOp::create(b, buffer);
  scratch.clear();
}

//===----------------------------------------------------------------------===//
// A row
//===----------------------------------------------------------------------===//

/// `length` elements of a buffer that has one for each nonzero, from `begin`
/// on.
Value FusedRows::fromSlot(Value buffer, Value begin, Value length) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets{begin}, sizes{length},
      strides{b.getIndexAttr(1)};
  if (!type.getLayout().isIdentity())
    return memref::SubViewOp::create(b, buffer, offsets, sizes, strides);
  auto row = MemRefType::get(
      {ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
  return memref::ReinterpretCastOp::create(b, row, buffer, offsets.front(),
                                           sizes, strides);
}

RowRun FusedRows::runOf(const ChainRow &at) {
  Value none = arith::ConstantIndexOp::create(b, 0);
  RowRun run{
      none,          at.length,       at.row, {at.coordinates, {}, {}, at.last},
      view.majorDim, view.minorDim(), {},     at.piece};
  run.begins = at.begins;
  return run;
}

/// The computation with these buffers; what a local of the key holds is a
/// scalar, and the same at all points.
ComputeBody FusedRows::bodyOf(ComputeOp compute,
                              function_ref<Value(Value)> bufferOf) {
  SmallVector<Value> inputs =
                         llvm::map_to_vector(compute.getInputs(), bufferOf),
                     outputs =
                         llvm::map_to_vector(compute.getOutputs(), bufferOf);
  ComputeBody body(b, compute, plans.find(compute)->second, inputs, outputs,
                   options.fma);
  auto none = AffineMap::get(compute.getIterationRank(), 0, {}, b.getContext());
  for (auto [input, map] : llvm::zip(compute.getInputs(), body.inputMaps))
    if (isKeyLocal(input))
      map = none;
  for (auto [i, output] : llvm::enumerate(compute.getOutputs()))
    if (isKeyLocal(output) && !isPartial(output))
      body.outputs[i] = body.identity(i, 0);
  if (isPartial(compute.getOutputs().front()))
    body.overwrites = true;
  body.isFar = areFar.lookup(compute);
  body.serial = options.serial;
  return body;
}

/// What the row's nonzeros make, in the local of a key.
void FusedRows::emitInto(ComputeBody &body, const RowRun &run, LaneShape shape,
                         Value &local) {
  Value sum;
  host::emitRow(
      body, run, shape,
      [&](const ColumnTile &, ValueRange sums, Value) { sum = sums.front(); });
  local = body.asRead(0, body.overwrites ? sum : body.combine(0, local, sum));
}

/// The computation with its buffers from the row's first nonzero on.
ComputeBody FusedRows::bodyAt(ComputeOp compute, const ChainRow &at) {
  return bodyOf(compute, [&](Value value) {
    Value buffer = buffers.lookup(value);
    for (auto [operand, map] :
         llvm::zip(compute->getOperands().drop_front(), compute.getMapArray()))
      if (operand == value && !value.getDefiningOp<LocalOp>() &&
          map.isFunctionOfDim(kNonzeroDim))
        return fromSlot(buffer, at.begin, at.length);
    return buffer;
  });
}

void FusedRows::emitCompute(ComputeOp compute, const ChainRow &at) {
  ComputeBody body = bodyAt(compute, at);
  LaneShape shape = laneShape(body, options.vectorBytes);
  RowRun run = runOf(at);
  Value output = compute.getOutputs().front();
  if (isKeyLocal(output) && !isPartial(output))
    emitInto(body, run, shape, buffers[output]);
  else
    emitOwnRow(body, run, shape);
}

//===----------------------------------------------------------------------===//
// Passes over the nonzeros of a row
//===----------------------------------------------------------------------===//

/// Whether a computation that is not among the members reads the value, or adds
/// to it.
bool FusedRows::isReadBesides(Value value, SweepMembers members) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<ComputeOp>(use.getOwner());
    return reader && !(reader.isDpsInit(&use) && reader.getOverwrite()) &&
           llvm::none_of(members,
                         [&](const std::unique_ptr<ComputeBody> &member) {
                           return member->op == reader;
                         });
  });
}

void FusedRows::endSweep(const ChainRow &at) {
  if (sweep.empty())
    return;
  auto bufferOf = [&](Value value) { return buffers.lookup(value); };
  auto isOwn = [&](Value value) { return isScratch(value); };
  auto isReadLater = [&](Value value) { return isReadBesides(value, sweep); };
  auto setKey = [&](Value value, Value held) { buffers[value] = held; };
  emitSweep(sweep, runOf(at), lanes, {bufferOf, isOwn, isReadLater, setKey});
  sweep.clear();
  reduced.clear();
}

/// A pass ends before what it reduces is read or added to.
void FusedRows::addToSweep(ComputeOp compute, const ChainRow &at) {
  if (llvm::any_of(compute->getOperands(),
                   [&](Value operand) { return reduced.contains(operand); }))
    endSweep(at);
  sweep.push_back(std::make_unique<ComputeBody>(bodyAt(compute, at)));
  if (!sweep.back()->samples())
    reduced.insert(compute.getOutputs().front());
}

ChainRow FusedRows::openRow(Value row, Value begin, Value length) {
  return {row, begin, length, fromSlot(view.coordinates, begin, length),
          arith::SubIOp::create(b, last, begin)};
}

void FusedRows::emitMembers(ArrayRef<Operation *> members, const ChainRow &at) {
  for (Operation *member : members) {
    auto compute = dyn_cast<ComputeOp>(member);
    if (compute && isSwept(compute, plans.find(compute)->second)) {
      addToSweep(compute, at);
      continue;
    }
    endSweep(at);
    if (compute)
      emitCompute(compute, at);
    else
      emitEpilogue(b, cast<linalg::GenericOp>(member), at.row, options.fma,
                   [&](Value value) { return buffers.lookup(value); });
  }
  endSweep(at);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// The extents of all operands from outside agree with the pattern's.
Value FusedRows::fits() {
  PatternExtents extents{loadIndex(b, view.positions, view.major),
                         {source.getRows(), source.getColumns()}};
  Value all = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (ComputeOp compute : op.getBody().getOps<ComputeOp>()) {
    ComputeBody body =
        bodyOf(compute, [&](Value value) { return buffers.lookup(value); });
    all = b.createOrFold<arith::AndIOp>(all, extentsFit(body, extents));
  }
  return all;
}

/// Rows of dense operands are looked at once, for all of the matrix.
void FusedRows::lookAhead() {
  Value count = loadIndex(b, view.positions, view.major);
  last = arith::SubIOp::create(b, count, arith::ConstantIndexOp::create(b, 1));
  for (ComputeOp compute : op.getBody().getOps<ComputeOp>()) {
    ComputeBody body =
        bodyOf(compute, [&](Value value) { return buffers.lookup(value); });
    // Here only: what else few registers ask for suits shorter rows.
    body.fewRegisters = !options.wideMasks;
    if (Value isFar = denseRowsAreFar(body, {view.coordinates, {}, {}},
                                      view.minorDim(), [&] { return count; }))
      areFar[compute] = isFar;
  }
}

Value FusedRows::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value FusedRows::lengthOf(Value row, Value begin) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value end = loadIndex(b, view.positions, arith::AddIOp::create(b, row, one));
  return arith::SubIOp::create(b, end, begin);
}

Value FusedRows::longestWhole(Value first, Value last, const CutRule &cut) {
  Value longest = longestRow(first, last);
  if (!cut.least)
    return longest;
  return arith::MinUIOp::create(b, longest, cut.least);
}

void FusedRows::ifWhole(Value length, const CutRule &cut,
                        function_ref<void()> emit) {
  if (!cut.least)
    return emit();
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, length, cut.least);
  scf::IfOp::create(b, isWhole, [&](OpBuilder &, Location) {
    emit();
    scf::YieldOp::create(b);
  });
}

/// Rows [first, last) of a worker that are not cut, one after the other.
void FusedRows::emitWholeRows(Value first, Value last, const CutRule &cut) {
  allocateScratch(longestWhole(first, last, cut));
  auto emitRow = [&](OpBuilder &, Location, Value row, ValueRange begin) {
    Value length = lengthOf(row, begin.front());
    ifWhole(length, cut, [&] {
      emitMembers(members, openRow(row, begin.front(), length));
    });
    scf::YieldOp::create(
        b, arith::AddIOp::create(b, begin.front(), length).getResult());
  };
  scf::ForOp::create(b, first, last, arith::ConstantIndexOp::create(b, 1),
                     loadIndex(b, view.positions, first), emitRow);
  freeScratch();
}

void FusedRows::emit() {
  ComputeOp first = *op.getBody().getOps<ComputeOp>().begin();
  ComputeBody body = bodyOf(first, [&](Value) { return Value(); });
  scf::IfOp guard;
  if (options.checkExtents)
    guard = openIfFits(body, fits());
  lookAhead();
  CutRule cut = cutRule();
  const bool inStages = runsInStages();
  RunTraits traits{cut.some, {}};
  if (inStages)
    choosePanels();
  auto emitRun = [&](Value first, Value last) {
    if (inStages)
      emitBlocks(first, last, cut);
    else
      emitWholeRows(first, last, cut);
  };
  // Numbers of runs are powers of two: runs have half of it, at least.
  if (inStages)
    traits.nonzeros = arith::MulIOp::create(b, panels.slots, index(2));
  forEachRunOfRows(body, view, emitRun, traits);
  emitCutRows(cut);
  if (guard)
    b.setInsertionPointAfter(guard);
}

std::string FusedRows::text() const {
  if (!runsInStages())
    return "runs the chain row by row";
  return "runs the chain by blocks of rows, in " +
         std::to_string(stages.size()) + " stages";
}

LogicalResult host::lowerFused(RewriterBase &rewriter, FusedOp op,
                               const HostKernelOptions &options) {
  auto view = op.getPattern().getDefiningOp<ViewOp>();
  if (!op.hasBufferSemantics() || !view)
    return op.emitOpError(
        "expected buffers and a view that astfe.view makes in "
        "the same function; astfe-unfuse-computes inlines "
        "other chains");
  if (std::string why = whyNotFusedOnHost(op); !why.empty())
    return op.emitOpError("expected a chain that has a fused kernel, but ")
           << why;
  splitSlotWork(rewriter, op);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  FusedRows rows(b, op, view, options);
  if (failed(rows.plan()))
    return failure();
  rows.emit();
  remark::passed(op.getLoc(), remarkOf(op, "convert-astfe-to-scf", "fused"))
      << rows.text();
  rewriter.eraseOp(op);
  return success();
}
