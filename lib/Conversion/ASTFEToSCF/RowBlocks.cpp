//===- RowBlocks.cpp - a chain by blocks of rows --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row by row, a chain that gathers rows of two operands, as attention does of K
// and V, needs both in one cache. So a worker takes blocks of rows, and a chain
// runs in stages: all rows of a block gather from the one operand before any of
// them gathers from the other.
//
//   s = <Q, K>  |  softmax  |  O += p V
//
// Where what the rows of a block gather from outgrows a core's second cache, a
// stage takes panels of columns (RowPanels.cpp).
//
// What stages hand on by nonzero has room for all rows of a block; each row's
// begins at a whole vector, since the last vector of a row is computed whole.
// What they hand on by key has an element for each row, on the stack.
//
//===----------------------------------------------------------------------===//

#include "FusedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

SmallVector<GatheredRows> FusedRows::gatheredBy(Operation *member) const {
  SmallVector<GatheredRows> rows;
  auto compute = dyn_cast<ComputeOp>(member);
  if (!compute || compute.getIterationRank() == kDenseDim)
    return rows;
  for (auto [input, map] :
       llvm::zip(compute.getInputs(), compute.getMapArray()))
    for (unsigned r = 0; map.getNumResults() > 1 && r < map.getNumResults(); ++r)
      if (map.getResult(r).isFunctionOfDim(view.minorDim()))
        rows.push_back({buffers.lookup(input), r});
  return rows;
}

static bool gathers(const ChainStage &stage, const GatheredRows &rows) {
  return llvm::any_of(stage.gathered, [&](const GatheredRows &other) {
    return other.buffer == rows.buffer;
  });
}

/// The member uses what a member of the stage sums up, which is whole only when
/// the stage has ended: panels add to it one after the other.
bool FusedRows::usesSumsOf(const ChainStage &stage, Operation *member) const {
  auto isSum = [&](Value operand) {
    return llvm::any_of(stage.members, [&](Operation *earlier) {
      auto compute = dyn_cast<ComputeOp>(earlier);
      return compute &&
             plans.find(compute)->second.outputs.front().protocol !=
                 Protocol::Once &&
             buffers.lookup(compute.getOutputs().front()) ==
                 buffers.lookup(operand) &&
             buffers.lookup(operand);
    });
  };
  return llvm::any_of(member->getOperands(), isSum);
}

/// Members in their order. A stage gathers from some operands, and ends before a
/// member that gathers from others, or that uses what the stage sums up; or it
/// does not gather.
SmallVector<ChainStage> FusedRows::stagesOf() const {
  SmallVector<ChainStage> stages;
  for (Operation *member : members) {
    SmallVector<GatheredRows> rows = gatheredBy(member);
    auto isNew = [&](const GatheredRows &each) {
      return !gathers(stages.back(), each);
    };
    if (stages.empty() || rows.empty() != stages.back().gathered.empty() ||
        llvm::any_of(rows, isNew) ||
        (!rows.empty() && usesSumsOf(stages.back(), member)))
      stages.push_back({{}, rows});
    stages.back().members.push_back(member);
  }
  return stages;
}

bool FusedRows::runsInStages() const {
  llvm::SmallPtrSet<Value, 4> gathered;
  for (const ChainStage &stage : stages)
    for (const GatheredRows &rows : stage.gathered)
      gathered.insert(rows.buffer);
  return gathered.size() > 1;
}

static bool uses(const ChainStage &stage, Value local) {
  return llvm::any_of(stage.members, [&](Operation *member) {
    return llvm::is_contained(member->getOperands(), local);
  });
}

/// Locals of a key that members of several stages use.
void FusedRows::findKept() {
  for (LocalOp local : op.getBody().getOps<LocalOp>()) {
    Value value = local.getResult();
    SmallVector<unsigned> users;
    for (auto [number, stage] : llvm::enumerate(stages))
      if (isKeyLocal(value) && uses(stage, value))
        users.push_back(unsigned(number));
    if (users.size() < 2)
      continue;
    ComputeOp first = *op.getBody().getOps<ComputeOp>().begin();
    ComputeBody body = bodyOf(first, [](Value) { return Value(); });
    kept.push_back({value, body.computedType(getElementTypeOrSelf(value)),
                    users.front(), users.back(), {}});
  }
}

/// What a row's earlier stages have left.
void FusedRows::loadKept(unsigned stage, Value at) {
  for (const KeptLocal &each : kept)
    if (each.first < stage && stage <= each.last)
      buffers[each.local] = memref::LoadOp::create(b, each.rows, at);
}

void FusedRows::storeKept(unsigned stage, Value at) {
  for (const KeptLocal &each : kept)
    if (each.first <= stage && stage < each.last &&
        uses(stages[stage], each.local))
      memref::StoreOp::create(b, buffers.lookup(each.local), each.rows, at);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

using core::rules::kBlockRows;

/// Slots of a row in the scratch of a block: whole vectors, and one more, so
/// that rows without nonzeros end a block, too.
Value FusedRows::slotsOf(Value length) {
  Value above = arith::AddIOp::create(b, length, index(2 * lanes - 1));
  return arith::SubIOp::create(b, above,
                               arith::RemUIOp::create(b, above, index(lanes)));
}

/// The same of a row that may be cut, and has none then.
Value FusedRows::wholeSlots(Value length, const CutRule &cut) {
  if (!cut.least)
    return slotsOf(length);
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, length, cut.least);
  return slotsOf(arith::SelectOp::create(b, isWhole, length, index(0)));
}

/// The row behind the last one of the block that begins at `first`.
Value FusedRows::endOfBlock(Value first, Value last, const CutRule &cut) {
  auto isIn = [&](OpBuilder &, Location, ValueRange at) {
    Value more =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at[0], last);
    Value rows = arith::SubIOp::create(b, at[0], first);
    Value fits = arith::AndIOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at[2], blockSlots),
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, rows,
                              index(kBlockRows)));
    scf::ConditionOp::create(b, arith::AndIOp::create(b, more, fits), at);
  };
  auto take = [&](OpBuilder &, Location, ValueRange at) {
    Value length = lengthOf(at[0], at[1]);
    Value next = arith::AddIOp::create(b, at[0], index(1)),
          begin = arith::AddIOp::create(b, at[1], length),
          used = arith::AddIOp::create(b, at[2], wholeSlots(length, cut));
    scf::YieldOp::create(b, ValueRange{next, begin, used});
  };
  Type type = b.getIndexType();
  Value begin = loadIndex(b, view.positions, first);
  return scf::WhileOp::create(b, TypeRange{type, type, type},
                              ValueRange{first, begin, index(0)}, isIn, take)
      .getResult(0);
}

/// The rows of a block that are not cut.
void FusedRows::forEachRowOf(const RowBlock &block, const CutRule &cut,
                             function_ref<void(const BlockRow &)> emit) {
  auto emitRow = [&](OpBuilder &, Location, Value row, ValueRange at) {
    Value length = lengthOf(row, at[0]);
    Value slots = wholeSlots(length, cut);
    ifWhole(length, cut, [&] {
      auto outside = buffers;
      Value number = arith::SubIOp::create(b, row, block.first);
      emit({row, number, at[0], length, at[1], slots});
      buffers = std::move(outside);
    });
    Value begin = arith::AddIOp::create(b, at[0], length),
          offset = arith::AddIOp::create(b, at[1], slots);
    scf::YieldOp::create(b, ValueRange{begin, offset});
  };
  Value begin = loadIndex(b, view.positions, block.first);
  scf::ForOp::create(b, block.first, block.end, index(1),
                     ValueRange{begin, index(0)}, emitRow);
}

/// The row's nonzeros [from, to); scratch begins at the first of them.
ChainRow FusedRows::openPart(const BlockRow &row, Value from, Value to) {
  Value at = b.createOrFold<arith::AddIOp>(row.offset, from),
        room = b.createOrFold<arith::SubIOp>(row.slots, from);
  for (LocalOp local : op.getBody().getOps<LocalOp>())
    if (Value value = local.getResult(); isScratch(value))
      buffers[value] = fromSlot(buffers.lookup(value), at, room);
  return openRow(row.row, b.createOrFold<arith::AddIOp>(row.begin, from),
                 b.createOrFold<arith::SubIOp>(to, from));
}

void FusedRows::emitStage(unsigned stage, const RowBlock &block,
                          const CutRule &cut) {
  if (!stages[stage].gathered.empty())
    return emitPanels(stage, block, cut);
  forEachRowOf(block, cut, [&](const BlockRow &row) {
    loadKept(stage, row.number);
    emitMembers(stages[stage].members, openPart(row, index(0), row.length));
    storeKept(stage, row.number);
  });
}

/// Where memory of the stack is taken once: not in a loop around, which would
/// take more each time, but in the body of a parallel one, which may not have
/// been finished yet.
static Block *stackBlock(Block *block) {
  for (;;) {
    Operation *op = block->getParentOp();
    if (!op)
      return block;
    if (op->hasTrait<OpTrait::AutomaticAllocationScope>() &&
        !isa<scf::ForOp>(op))
      return &block->getParent()->front();
    block = op->getBlock();
  }
}

/// Room for the rows of any block of [first, last).
void FusedRows::allocateBlock(Value first, Value last, const CutRule &cut) {
  Value rows = arith::SubIOp::create(b, last, first);
  Value begin = loadIndex(b, view.positions, first),
        end = loadIndex(b, view.positions, last);
  Value all = arith::AddIOp::create(
      b, arith::SubIOp::create(b, end, begin),
      arith::MulIOp::create(b, rows, index(2 * lanes)));
  // All blocks of a run are about as large.
  Value half = arith::ShRUIOp::create(b, panels.slots, index(1));
  Value blocks = arith::DivUIOp::create(
      b, arith::AddIOp::create(b, all, half), panels.slots);
  blocks = arith::MaxUIOp::create(b, blocks, index(1));
  blockSlots = arith::CeilDivUIOp::create(b, all, blocks);
  // A row is taken while a block has slots left.
  Value most = arith::AddIOp::create(b, blockSlots,
                                     slotsOf(longestWhole(first, last, cut)));
  allocateScratch(arith::MinUIOp::create(b, all, most));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(stackBlock(b.getInsertionBlock()));
  auto rowArray = [&](Type element) -> Value {
    return memref::AllocaOp::create(b, MemRefType::get({kBlockRows}, element));
  };
  for (KeptLocal &each : kept)
    each.rows = rowArray(each.element);
  reached = rowArray(b.getIndexType());
}

/// Rows [first, last) of a worker, block by block.
void FusedRows::emitBlocks(Value first, Value last, const CutRule &cut) {
  allocateBlock(first, last, cut);
  auto isIn = [&](OpBuilder &, Location, ValueRange at) {
    Value more =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at[0], last);
    scf::ConditionOp::create(b, more, at);
  };
  auto emitBlock = [&](OpBuilder &, Location, ValueRange at) {
    RowBlock block{at[0], endOfBlock(at[0], last, cut)};
    for (unsigned stage = 0; stage < stages.size(); ++stage)
      emitStage(stage, block, cut);
    scf::YieldOp::create(b, block.end);
  };
  scf::WhileOp::create(b, TypeRange{b.getIndexType()}, ValueRange{first}, isIn,
                       emitBlock);
  freeScratch();
}
