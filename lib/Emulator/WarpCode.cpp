//===- WarpCode.cpp - the code of a whole warp ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpCode.h"
#include "WarpCalls.h"

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
      : kernel(kernel), shared(shared), rewritten(rewritten),
        collector(kernel, shared, rewritten), accesses(context),
        calls(context, rewritten), builder(kernel.getContext()),
        atEntry(kernel.getContext()) {
    context.builder = &builder;
  }
  Function *run();

private:
  struct Slot {
    SmallVector<AllocaInst *, 4> parts;
  };
  /// A way out of a block, and the lanes that take it.
  struct Exit {
    BasicBlock *to;
    Value *lanes;
  };

  void begin();
  void loadParameters();
  void makeSlots();
  bool neededElsewhere(const Instruction &instruction) const;
  bool buildSegment(const SegmentCut &cut);
  bool build(Instruction &instruction, ArrayRef<Access> found, unsigned &row);
  bool buildAccess(const Access &access, unsigned row);
  bool buildTerminator(Instruction &terminator);
  bool findExits(Instruction &terminator, SmallVectorImpl<Exit> &exits);
  void leaveBy(BasicBlock *from, ArrayRef<Exit> exits);
  void goTo(BasicBlock *to);
  void buildReturn();
  void buildDispatcher();

  std::optional<WarpValue> get(Value *value);
  std::optional<WarpValue> constant(Constant *value);
  std::optional<WarpValue> invariant(Instruction &instruction);
  bool isInvariant(Value *value);
  void define(Instruction &instruction, const WarpValue &value);
  WarpValue read(const Slot &slot, Type *type);
  using Written = std::pair<const Slot *, WarpValue>;
  void store(const Slot &slot, const WarpValue &value);
  void blend(const Slot &slot, const WarpValue &value, Value *lanes);
  void write(ArrayRef<Written> values);
  std::optional<SmallVector<Written>> phiValues(BasicBlock *from,
                                                BasicBlock *to);
  void noteWhere(uint32_t place, Value *lanes);
  Value *conditionsOf(Value *lanes) {
    return builder.CreateBitCast(
        lanes, FixedVectorType::get(builder.getInt1Ty(), kLanes));
  }
  AllocaInst *memory(Type *type, const char *name);

  Function &kernel;
  const SharedLayout &shared;
  Rewritten &rewritten;
  AccessCollector collector;
  WarpContext context;
  WarpAccesses accesses;
  WarpCalls calls;
  IRBuilder<> builder, atEntry;
  SegmentCosts costs;

  Function *warp = nullptr;
  BasicBlock *dispatcher = nullptr, *end = nullptr;
  AllocaInst *running, *others, *places;
  Value *sharedBegin = nullptr;
  /// Blocks of the kernel by place.
  MapVector<BasicBlock *, BasicBlock *> blocks;
  DenseMap<BasicBlock *, uint32_t> placeOf;
  DenseMap<const Instruction *, Slot> slots;
  DenseMap<const Value *, bool> invariants;
  DenseMap<const Value *, WarpValue> everywhere; ///< made at the entry
  DenseMap<const Value *, WarpValue> here;       ///< of the block
  SmallVector<Written> defined; ///< in the block, and needed elsewhere
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

AllocaInst *WarpBuilder::memory(Type *type, const char *name) {
  AllocaInst *made = atEntry.CreateAlloca(type, nullptr, name);
  made->setAlignment(Align(64));
  return made;
}

/// Whether all lanes compute the same from what the launch gives, whenever they
/// come there: then it is computed before anything else.
bool WarpBuilder::isInvariant(Value *value) {
  if (isa<Constant, Argument>(value))
    return true;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return false;
  if (auto known = invariants.find(value); known != invariants.end())
    return known->second;
  bool isPure =
      isa<UnaryOperator, CmpInst, CastInst, SelectInst, GetElementPtrInst>(
          instruction);
  if (auto *operation = dyn_cast<BinaryOperator>(instruction))
    isPure = !operation->isIntDivRem();
  if (auto *call = dyn_cast<CallInst>(instruction))
    isPure = WarpCalls::isUniformRegister(*call);
  bool result = isPure && partTypes(instruction->getType()).size() == 1;
  if (result && !isa<CallInst>(instruction))
    for (Value *operand : instruction->operands())
      result &= isInvariant(operand);
  return invariants[value] = result;
}

std::optional<WarpValue> WarpBuilder::constant(Constant *value) {
  WarpValue result;
  result.isUniform = true;
  const SmallVector<Type *, 4> types = partTypes(value->getType());
  if (types.empty())
    return std::nullopt;
  if (auto *variable = dyn_cast<GlobalVariable>(value)) {
    const SharedLayout::Place *place = shared.find(&kernel, variable);
    result.parts.push_back(
        place ? atEntry.CreateAdd(sharedBegin, atEntry.getInt64(place->offset))
              : ConstantExpr::getPtrToInt(value, types[0]));
    return result;
  }
  if (isa<ConstantPointerNull>(value)) {
    result.parts.push_back(ConstantInt::get(types[0], 0));
    return result;
  }
  if (auto *expression = dyn_cast<ConstantExpr>(value)) {
    Instruction *made = expression->getAsInstruction();
    made->insertBefore(kernel.getEntryBlock().begin());
    auto computed = invariant(*made);
    made->eraseFromParent();
    return computed;
  }
  if (!value->getType()->isAggregateType() && !value->getType()->isVectorTy()) {
    result.parts.push_back(isa<PoisonValue>(value)  ? PoisonValue::get(types[0])
                           : isa<UndefValue>(value) ? UndefValue::get(types[0])
                                                    : value);
    return result;
  }
  for (unsigned i = 0; Constant *element = value->getAggregateElement(i); ++i) {
    auto part = constant(element);
    if (!part)
      return std::nullopt;
    result.parts.append(part->parts);
    if (result.parts.size() == types.size())
      return result;
  }
  return std::nullopt;
}

std::optional<WarpValue> WarpBuilder::invariant(Instruction &instruction) {
  SmallVector<WarpValue> operands;
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return calls.uniformRegister(atEntry, *call);
  for (Value *operand : instruction.operands()) {
    auto value = get(operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  return computeForWarp(atEntry, instruction, operands, /*active=*/nullptr);
}

std::optional<WarpValue> WarpBuilder::get(Value *value) {
  for (const auto *known : {&here, &everywhere})
    if (auto found = known->find(value); found != known->end())
      return found->second;
  auto *instruction = dyn_cast<Instruction>(value);
  const bool isFixed = isInvariant(value);
  std::optional<WarpValue> result;
  if (auto *number = dyn_cast<Constant>(value)) {
    result = constant(number);
  } else if (instruction && isFixed) {
    result = invariant(*instruction);
  } else if (instruction) {
    auto slot = slots.find(instruction);
    if (slot != slots.end())
      result = read(slot->second, value->getType());
  }
  if (result)
    (isFixed ? everywhere : here)[value] = *result;
  return result;
}

/// Whether another block reads it: a phi does at the end of the block before.
bool WarpBuilder::neededElsewhere(const Instruction &instruction) const {
  return any_of(instruction.uses(), [&](const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    return (phi ? phi->getIncomingBlock(use) : user->getParent()) !=
           instruction.getParent();
  });
}

void WarpBuilder::makeSlots() {
  for (auto &[block, code] : blocks)
    for (Instruction &instruction : *block) {
      if (instruction.getType()->isVoidTy() || isInvariant(&instruction) ||
          (!isa<PHINode>(instruction) && !neededElsewhere(instruction)))
        continue;
      Slot &slot = slots[&instruction];
      for (Type *part : partTypes(instruction.getType()))
        slot.parts.push_back(
            memory(part->isIntegerTy(1)
                       ? builder.getInt32Ty()
                       : cast<Type>(FixedVectorType::get(part, kLanes)),
                   "slot"));
    }
}

/// Truth values are a bit each there.
WarpValue WarpBuilder::read(const Slot &slot, Type *type) {
  WarpValue value;
  for (auto [part, memory] : zip(partTypes(type), slot.parts)) {
    Value *loaded = builder.CreateAlignedLoad(memory->getAllocatedType(),
                                              memory, Align(64));
    value.parts.push_back(part->isIntegerTy(1) ? conditionsOf(loaded) : loaded);
  }
  return value;
}

/// Lanes that do not run keep what they have.
void WarpBuilder::blend(const Slot &slot, const WarpValue &value,
                        Value *lanes) {
  for (unsigned i = 0; i < slot.parts.size(); ++i) {
    AllocaInst *memory = slot.parts[i];
    Value *now = vectorPart(builder, value, i);
    Value *before = builder.CreateAlignedLoad(memory->getAllocatedType(),
                                              memory, Align(64));
    if (memory->getAllocatedType()->isIntegerTy()) {
      // Poison of lanes that do not run must not spread.
      Value *bits = builder.CreateBitCast(builder.CreateFreeze(now),
                                          builder.getInt32Ty());
      now =
          builder.CreateOr(builder.CreateAnd(before, builder.CreateNot(lanes)),
                           builder.CreateAnd(bits, lanes));
    } else {
      now = builder.CreateSelect(conditionsOf(lanes), now, before);
    }
    builder.CreateAlignedStore(now, memory, Align(64));
  }
}

void WarpBuilder::store(const Slot &slot, const WarpValue &value) {
  for (unsigned i = 0; i < slot.parts.size(); ++i) {
    AllocaInst *memory = slot.parts[i];
    Value *now = vectorPart(builder, value, i);
    if (memory->getAllocatedType()->isIntegerTy())
      now = builder.CreateBitCast(now, builder.getInt32Ty());
    builder.CreateAlignedStore(now, memory, Align(64));
  }
}

/// Of the lanes that run, which are most often all 32.
void WarpBuilder::write(ArrayRef<Written> values) {
  if (values.empty())
    return;
  BasicBlock *all = context.block("all"), *some = context.block("some"),
             *done = context.block("written");
  builder.CreateCondBr(
      builder.CreateICmpEQ(context.lanes, builder.getInt32(~0u)), all, some);
  builder.SetInsertPoint(all);
  for (const auto &[slot, value] : values)
    store(*slot, value);
  builder.CreateBr(done);
  builder.SetInsertPoint(some);
  for (const auto &[slot, value] : values)
    blend(*slot, value, context.lanes);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

/// Other blocks read it after this one.
void WarpBuilder::define(Instruction &instruction, const WarpValue &value) {
  here[&instruction] = value;
  auto slot = slots.find(&instruction);
  if (slot != slots.end())
    defined.push_back({&slot->second, value});
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

bool WarpBuilder::buildAccess(const Access &access, unsigned row) {
  auto address = get(access.pointer);
  auto base = access.hasBase() ? get(access.object) : address;
  if (!address || !base || !access.isLogged())
    return false;
  SmallVector<WarpValue> values;
  const unsigned pointerAt = isa<StoreInst>(access.instruction) ? 1 : 0;
  for (const Use &operand : access.instruction->operands()) {
    if (operand.getOperandNo() == pointerAt)
      continue;
    auto value = get(operand);
    if (!value)
      return false;
    values.push_back(*value);
  }
  auto result = accesses.make(access, row, *address, *base, values);
  if (result && !result->parts.empty())
    define(*access.instruction, *result);
  return result.has_value();
}

bool WarpBuilder::build(Instruction &instruction, ArrayRef<Access> found,
                        unsigned &row) {
  if (isInvariant(&instruction) || isa<PHINode>(instruction))
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
    auto value = get(operand);
    if (!value)
      return false;
    operands.push_back(*value);
  }
  auto result =
      call && WarpCalls::isMine(*call)
          ? calls.make(*call, operands)
          : computeForWarp(builder, instruction, operands, context.active);
  if (result && !instruction.getType()->isVoidTy())
    define(instruction, *result);
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

std::optional<SmallVector<WarpBuilder::Written>>
WarpBuilder::phiValues(BasicBlock *from, BasicBlock *to) {
  SmallVector<Written> values;
  for (PHINode &phi : to->phis()) {
    auto value = get(phi.getIncomingValueForBlock(from));
    if (!value || value->parts.empty())
      return std::nullopt;
    values.push_back({&slots[&phi], *value});
  }
  return values;
}

/// Lanes go on at this place when the dispatcher says so.
void WarpBuilder::noteWhere(uint32_t place, Value *lanes) {
  auto *type = FixedVectorType::get(builder.getInt32Ty(), kLanes);
  Value *before = builder.CreateAlignedLoad(type, places, Align(64));
  Value *splat = builder.CreateVectorSplat(kLanes, builder.getInt32(place));
  builder.CreateAlignedStore(
      builder.CreateSelect(conditionsOf(lanes), splat, before), places,
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
    auto condition = get(branch->getCondition());
    if (!condition)
      return false;
    Value *taken = vectorPart(builder, *condition, 0);
    add(branch->getSuccessor(0), taken);
    add(branch->getSuccessor(1), builder.CreateNot(taken));
  } else if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
    auto condition = get(choice->getCondition());
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
  SmallVector<SmallVector<Written>> values;
  for (const Exit &exit : exits) {
    auto found = phiValues(from, exit.to);
    if (!found)
      return false;
    values.push_back(std::move(*found));
  }
  if (exits.size() == 1) {
    defined.append(values[0]);
    write(defined);
    goTo(exits[0].to);
    return true;
  }
  write(defined);
  for (auto [exit, phis] : zip(exits, values)) {
    BasicBlock *together = context.block("together"),
               *next = context.block("apart");
    builder.CreateCondBr(builder.CreateICmpEQ(exit.lanes, context.lanes),
                         together, next);
    builder.SetInsertPoint(together);
    write(phis);
    goTo(exit.to);
    builder.SetInsertPoint(next);
  }
  for (auto [exit, phis] : zip(exits, values)) {
    for (const auto &[slot, value] : phis)
      blend(*slot, value, exit.lanes);
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

void WarpBuilder::loadParameters() {
  Type *pointer = builder.getPtrTy();
  for (Argument &argument : kernel.args()) {
    Value *place = atEntry.CreateLoad(
        pointer, atEntry.CreateConstGEP1_64(pointer, warp->getArg(0),
                                            argument.getArgNo()));
    WarpValue value;
    value.isUniform = true;
    const SmallVector<Type *, 4> types = partTypes(argument.getType());
    if (types.size() == 1 && !argument.hasByValAttr())
      value.parts.push_back(
          atEntry.CreateAlignedLoad(types[0], place, Align(1)));
    // Others are not known where they are asked for.
    if (!value.parts.empty())
      everywhere[&argument] = value;
  }
}

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
  // Before what ends the entry.
  builder.SetInsertPoint(entry);
  atEntry.SetInsertPoint(builder.CreateBr(blocks.front().second));

  context.frame = warp->getArg(1);
  auto field = [&](Type *type, size_t offset) {
    return atEntry.CreateLoad(
        type, atEntry.CreatePtrAdd(context.frame, atEntry.getInt64(offset)));
  };
  auto common = [&](Type *type, Value *registers, size_t offset) {
    return atEntry.CreateLoad(
        type, atEntry.CreatePtrAdd(registers, atEntry.getInt64(offset)));
  };
  Value *registers = field(pointer, offsetof(WarpFrame, registers));
  context.rows = field(pointer, offsetof(WarpFrame, rows));
  context.windows = common(pointer, registers, offsetof(Registers, windows));
  sharedBegin =
      common(atEntry.getInt64Ty(), registers, offsetof(Registers, shared));
  calls.setRegisters(registers);
  for (Value *&scratch : context.scratch)
    scratch =
        memory(ArrayType::get(builder.getInt8Ty(), WarpContext::kScratchBytes),
               "scratch");
  running = memory(builder.getInt32Ty(), "running");
  others = memory(builder.getInt32Ty(), "others");
  auto *words = FixedVectorType::get(builder.getInt32Ty(), kLanes);
  places = memory(words, "places");
  atEntry.CreateStore(field(builder.getInt32Ty(), offsetof(WarpFrame, lanes)),
                      running);
  atEntry.CreateStore(atEntry.getInt32(kNowhere), others);
  atEntry.CreateAlignedStore(ConstantInt::get(words, kNowhere), places,
                             Align(64));
  calls.makeMemory([&](Type *type) { return memory(type, "call"); });
}

Function *WarpBuilder::run() {
  const std::vector<SegmentCut> cuts = cutIntoSegments(kernel);
  for (const SegmentCut &cut : cuts) {
    BasicBlock *block = cut.body.front()->getParent();
    if (blocks.insert({block, nullptr}).second)
      placeOf[block] = uint32_t(blocks.size() - 1);
  }
  begin();
  loadParameters();
  makeSlots();
  const BasicBlock *now = nullptr;
  for (const SegmentCut &cut : cuts) {
    BasicBlock *block = cut.body.front()->getParent();
    if (block != now) {
      now = block;
      here.clear();
      defined.clear();
      builder.SetInsertPoint(blocks[block]);
      context.lanes = builder.CreateLoad(builder.getInt32Ty(), running);
      context.active = conditionsOf(context.lanes);
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
