//===- WarpCode.cpp - the code of a whole warp ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpValues.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

static void endSegment(WarpFrame *warp, uint32_t segment, uint32_t lanes) {
  warp->processor->endSegment(*warp, segment, lanes);
}

namespace {

/// Where lanes are that have exited.
constexpr uint32_t kNowhere = ~0u;

class WarpBuilder {
public:
  WarpBuilder(Function &kernel, const SharedLayout &shared,
              Rewritten &rewritten)
      : kernel(kernel), rewritten(rewritten),
        builder(kernel.getContext()), context{&builder},
        collector(kernel, shared, rewritten), accesses(context),
        calls(context, rewritten), values(kernel, shared, context, calls) {}
  Function *run();

private:
  /// A way out of a block, and the lanes that take it.
  struct Exit {
    BasicBlock *to;
    Value *lanes;
  };

  void begin();
  bool buildSegment(const SegmentCut &cut);
  bool build(Instruction &instruction, ArrayRef<Access> found, unsigned &row);
  bool buildAccess(const Access &access, unsigned row);
  bool buildTerminator(Instruction &terminator);
  bool findExits(Instruction &terminator, SmallVectorImpl<Exit> &exits);
  void goTo(BasicBlock *to);
  void buildReturn();
  void buildDispatcher();

  void noteWhere(uint32_t place, Value *lanes);

  Function &kernel;
  Rewritten &rewritten;
  IRBuilder<> builder;
  WarpContext context;
  AccessCollector collector;
  WarpAccesses accesses;
  WarpCalls calls;
  WarpValues values;
  SegmentCosts costs;

  Function *warp = nullptr;
  BasicBlock *dispatcher = nullptr, *end = nullptr;
  AllocaInst *running, *others, *places;
  /// Blocks of the kernel by place.
  MapVector<BasicBlock *, BasicBlock *> blocks;
  DenseMap<BasicBlock *, uint32_t> placeOf;
};

} // namespace

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

bool WarpBuilder::buildAccess(const Access &access, unsigned row) {
  auto address = values.get(access.pointer);
  auto base = access.hasBase() ? values.get(access.object) : address;
  if (!address || !base || !access.isLogged())
    return false;
  SmallVector<WarpValue> operands;
  const unsigned pointerAt = isa<StoreInst>(access.instruction) ? 1 : 0;
  for (const Use &operand : access.instruction->operands()) {
    if (operand.getOperandNo() == pointerAt)
      continue;
    auto value = values.get(operand);
    if (!value)
      return false;
    operands.push_back(*value);
  }
  auto result = accesses.make(access, row, *address, *base, operands);
  if (result && !result->parts.empty())
    values.define(*access.instruction, *result);
  return result.has_value();
}

bool WarpBuilder::build(Instruction &instruction, ArrayRef<Access> found,
                        unsigned &row) {
  if (values.isInvariant(&instruction) || isa<PHINode>(instruction))
    return true;
  auto *call = dyn_cast<CallInst>(&instruction);
  if (isa<IntrinsicInst>(instruction) &&
      cast<IntrinsicInst>(instruction).isAssumeLikeIntrinsic())
    return true;
  if (row < found.size() && found[row].instruction == &instruction) {
    const unsigned number = row++;
    return buildAccess(found[number], number);
  }
  if (instruction.mayReadOrWriteMemory() && !call)
    return false;
  SmallVector<WarpValue> operands;
  if (call && !call->getCalledFunction())
    return false;
  for (Value *operand :
       call ? iterator_range<Use *>(call->args()) : instruction.operands()) {
    auto value = values.get(operand);
    if (!value)
      return false;
    operands.push_back(*value);
  }
  auto result =
      call && WarpCalls::isMine(*call)
          ? calls.make(*call, operands)
          : computeForWarp(builder, instruction, operands, context.active);
  if (result && !instruction.getType()->isVoidTy())
    values.define(instruction, *result);
  return result.has_value();
}

/// What the emulator learns of a segment is said before its last instruction:
/// a call orders what came before.
bool WarpBuilder::buildSegment(const SegmentCut &cut) {
  const SmallVector<Access> found = collector.collect(cut.body);
  SmallVector<SegmentAccess> logged;
  for (const Access &access : found)
    if (access.isLogged())
      logged.push_back(
          {access.instruction, uint32_t(access.bytes()), access.site});
  if (logged.size() != found.size())
    return false;
  Value *number = builder.getInt32(uint32_t(rewritten.segments.size()));
  rewritten.segments.push_back(costs.describe(cut, logged));
  rewritten.rows = std::max(rewritten.rows, uint32_t(found.size()));
  unsigned row = 0;
  for (Instruction *instruction : cut.body) {
    if (instruction == cut.body.back())
      context.call(reinterpret_cast<void *>(endSegment),
                   {context.frame, number, context.lanes});
    const bool built = instruction->isTerminator()
                           ? buildTerminator(*instruction)
                           : build(*instruction, found, row);
    if (!built)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// Lanes go on at this place when the dispatcher says so.
void WarpBuilder::noteWhere(uint32_t place, Value *lanes) {
  auto *type = FixedVectorType::get(builder.getInt32Ty(), kLanes);
  Value *before = builder.CreateAlignedLoad(type, places, Align(64));
  Value *splat = builder.CreateVectorSplat(kLanes, builder.getInt32(place));
  builder.CreateAlignedStore(
      builder.CreateSelect(context.conditionsOf(lanes), splat, before), places,
      Align(64));
}

/// All lanes that run go to the block: at once, if no others are before it.
void WarpBuilder::goTo(BasicBlock *to) {
  const uint32_t place = placeOf.lookup(to);
  Value *rest = builder.CreateLoad(builder.getInt32Ty(), others);
  Value *isLate = builder.CreateICmpUGE(builder.getInt32(place), rest);
  auto [then, next] = context.branchUnlikely(isLate);
  builder.SetInsertPoint(next);
  builder.CreateBr(blocks[to]);
  builder.SetInsertPoint(then);
  noteWhere(place, context.lanes);
  builder.CreateBr(dispatcher);
}

/// The ways out of a block by a branch or switch, each once.
bool WarpBuilder::findExits(Instruction &terminator,
                            SmallVectorImpl<Exit> &exits) {
  MapVector<BasicBlock *, Value *> lanesTo;
  auto add = [&](BasicBlock *to, Value *conditions) {
    Value *lanes = context.bitsOf(conditions);
    Value *&all = lanesTo[to];
    all = all ? builder.CreateOr(all, lanes) : lanes;
  };
  if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
    auto condition = values.get(branch->getCondition());
    if (!condition)
      return false;
    Value *taken = vectorPart(builder, *condition, 0);
    add(branch->getSuccessor(0), taken);
    add(branch->getSuccessor(1), builder.CreateNot(taken));
  } else if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
    auto condition = values.get(choice->getCondition());
    if (!condition)
      return false;
    Value *number = vectorPart(builder, *condition, 0);
    Value *none = ConstantInt::getTrue(context.active->getType());
    for (auto each : choice->cases()) {
      Value *chosen = builder.CreateICmpEQ(
          number, builder.CreateVectorSplat(kLanes, each.getCaseValue()));
      add(each.getCaseSuccessor(), chosen);
      none = builder.CreateAnd(none, builder.CreateNot(chosen));
    }
    add(choice->getDefaultDest(), none);
  } else {
    return false;
  }
  for (auto &[to, lanes] : lanesTo)
    exits.push_back({to, lanes});
  return true;
}

bool WarpBuilder::buildTerminator(Instruction &terminator) {
  BasicBlock *from = terminator.getParent();
  if (isa<ReturnInst>(terminator)) {
    buildReturn();
    return true;
  }
  SmallVector<Exit> exits;
  auto *branch = dyn_cast<BranchInst>(&terminator);
  if (branch && branch->isUnconditional())
    exits.push_back({branch->getSuccessor(0), context.lanes});
  else if (!findExits(terminator, exits))
    return false;
  // What the ways write is read before they part.
  SmallVector<SmallVector<WarpWrite>> ofPhis;
  for (const Exit &exit : exits) {
    auto found = values.phiValues(from, exit.to);
    if (!found)
      return false;
    ofPhis.push_back(std::move(*found));
  }
  SmallVector<WarpWrite> writes(values.writes());
  if (exits.size() == 1) {
    writes.append(ofPhis[0]);
    values.write(writes);
    goTo(exits[0].to);
    return true;
  }
  values.write(writes);
  for (auto [exit, phis] : zip(exits, ofPhis)) {
    BasicBlock *together = context.block("together"),
               *next = context.block("apart");
    builder.CreateCondBr(builder.CreateICmpEQ(exit.lanes, context.lanes),
                         together, next);
    builder.SetInsertPoint(together);
    values.write(phis);
    goTo(exit.to);
    builder.SetInsertPoint(next);
  }
  for (auto [exit, phis] : zip(exits, ofPhis)) {
    for (const auto &[slot, value] : phis)
      values.blend(*slot, value, exit.lanes);
    noteWhere(placeOf.lookup(exit.to), exit.lanes);
  }
  builder.CreateBr(dispatcher);
  return true;
}

void WarpBuilder::buildReturn() {
  noteWhere(kNowhere, context.lanes);
  Value *live = builder.CreatePtrAdd(
      context.frame, builder.getInt64(offsetof(WarpFrame, lanes)));
  Value *before = builder.CreateLoad(builder.getInt32Ty(), live);
  builder.CreateStore(
      builder.CreateAnd(before, builder.CreateNot(context.lanes)), live);
  Value *rest = builder.CreateLoad(builder.getInt32Ty(), others);
  builder.CreateCondBr(builder.CreateICmpEQ(rest, builder.getInt32(kNowhere)),
                       end, dispatcher);
}

/// Chooses the earliest place, and the lanes that are there.
void WarpBuilder::buildDispatcher() {
  builder.SetInsertPoint(dispatcher);
  auto *type = FixedVectorType::get(builder.getInt32Ty(), kLanes);
  Value *where = builder.CreateAlignedLoad(type, places, Align(64));
  Value *place =
      builder.CreateUnaryIntrinsic(Intrinsic::vector_reduce_umin, where);
  Value *chosen =
      builder.CreateICmpEQ(where, builder.CreateVectorSplat(kLanes, place));
  builder.CreateStore(builder.CreateBitCast(chosen, builder.getInt32Ty()),
                      running);
  Value *nowhere =
      builder.CreateVectorSplat(kLanes, builder.getInt32(kNowhere));
  builder.CreateStore(builder.CreateUnaryIntrinsic(
                          Intrinsic::vector_reduce_umin,
                          builder.CreateSelect(chosen, nowhere, where)),
                      others);
  SwitchInst *next = builder.CreateSwitch(place, end, unsigned(blocks.size()));
  for (auto &[block, code] : blocks)
    next->addCase(builder.getInt32(placeOf.lookup(block)), code);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

void WarpBuilder::begin() {
  LLVMContext &llvm = kernel.getContext();
  Type *pointer = builder.getPtrTy();
  warp = Function::Create(
      FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false),
      Function::ExternalLinkage, kernel.getName() + ".warp",
      *kernel.getParent());
  warp->addFnAttr(Attribute::NoUnwind);
  // Values of 32 lanes fill the widest registers, and may fill many pages of
  // the stack.
  warp->addFnAttr("prefer-vector-width", "512");
  warp->addFnAttr("probe-stack", "inline-asm");
  auto *entry = BasicBlock::Create(llvm, "entry", warp);
  dispatcher = BasicBlock::Create(llvm, "dispatcher", warp);
  end = BasicBlock::Create(llvm, "end", warp);
  ReturnInst::Create(llvm, end);
  for (auto &[block, code] : blocks)
    code = BasicBlock::Create(llvm, "block", warp);
  builder.SetInsertPoint(entry);
  values.setEntry(builder.CreateBr(blocks.front().second));

  IRBuilder<> &atEntry = values.entry();
  context.frame = warp->getArg(1);
  auto load = [&](Type *type, Value *from, size_t offset) {
    return atEntry.CreateLoad(
        type, atEntry.CreatePtrAdd(from, atEntry.getInt64(offset)));
  };
  Type *word = builder.getInt32Ty();
  auto *words = FixedVectorType::get(word, kLanes);
  Value *registers =
      load(pointer, context.frame, offsetof(WarpFrame, registers));
  context.rows = load(pointer, context.frame, offsetof(WarpFrame, rows));
  context.windows = load(pointer, registers, offsetof(Registers, windows));
  values.setSharedBegin(
      load(builder.getInt64Ty(), registers, offsetof(Registers, shared)));
  calls.setRegisters(registers);
  calls.makeMemory([&](Type *type) { return values.memory(type, "call"); });
  for (Value *&scratch : context.scratch)
    scratch = values.memory(
        ArrayType::get(builder.getInt8Ty(), WarpContext::kScratchBytes),
        "scratch");
  running = values.memory(word, "running");
  others = values.memory(word, "others");
  places = values.memory(words, "places");
  atEntry.CreateStore(load(word, context.frame, offsetof(WarpFrame, lanes)),
                      running);
  atEntry.CreateStore(atEntry.getInt32(kNowhere), others);
  atEntry.CreateAlignedStore(ConstantInt::get(words, kNowhere), places,
                             Align(64));
  values.loadParameters(warp->getArg(0));
  SmallVector<BasicBlock *> ofKernel;
  for (auto &[block, code] : blocks)
    ofKernel.push_back(block);
  values.makeSlots(ofKernel);
}

Function *WarpBuilder::run() {
  const std::vector<SegmentCut> cuts = cutIntoSegments(kernel);
  for (const SegmentCut &cut : cuts) {
    BasicBlock *block = cut.body.front()->getParent();
    if (blocks.insert({block, nullptr}).second)
      placeOf[block] = uint32_t(blocks.size() - 1);
  }
  begin();
  const BasicBlock *now = nullptr;
  for (const SegmentCut &cut : cuts) {
    BasicBlock *block = cut.body.front()->getParent();
    if (block != now) {
      now = block;
      values.beginBlock();
      builder.SetInsertPoint(blocks[block]);
      context.lanes = builder.CreateLoad(builder.getInt32Ty(), running);
      context.active = context.conditionsOf(context.lanes);
    }
    if (!buildSegment(cut)) {
      // Nothing of the module refers to it.
      warp->dropAllReferences();
      warp->eraseFromParent();
      return nullptr;
    }
  }
  buildDispatcher();
  return warp;
}

/// Without optimisation, each value may get a place of its own on the stack,
/// and what it is made of, too.
static size_t stackOf(const Function &function) {
  const DataLayout &layout = function.getDataLayout();
  size_t bytes = 0;
  for (const Instruction &instruction : instructions(function)) {
    Type *type = instruction.getType();
    if (auto *memory = dyn_cast<AllocaInst>(&instruction))
      type = memory->getAllocatedType();
    if (type->isSized())
      bytes += 2 * layout.getTypeAllocSize(type) + 64;
  }
  return bytes;
}

Function *emu::makeWarpCode(Function &kernel, const SharedLayout &shared,
                            Rewritten &rewritten) {
  Function *code = WarpBuilder(kernel, shared, rewritten).run();
  if (code)
    rewritten.stackBytes = stackOf(*code);
  return code;
}
