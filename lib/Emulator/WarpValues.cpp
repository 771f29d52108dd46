//===- WarpValues.cpp - values of the code of a warp ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpValues.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

AllocaInst *WarpValues::memory(Type *type, const char *name) {
  AllocaInst *made = atEntry.CreateAlloca(type, nullptr, name);
  made->setAlignment(Align(64));
  return made;
}

void WarpValues::loadParameters(Value *params) {
  Type *pointer = builder.getPtrTy();
  for (Argument &argument : kernel.args()) {
    Value *place = atEntry.CreateLoad(
        pointer,
        atEntry.CreateConstGEP1_64(pointer, params, argument.getArgNo()));
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

/// Whether all lanes compute the same from what the launch gives, whenever they
/// come there: then it is computed before anything else.
bool WarpValues::isInvariant(Value *value) {
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

std::optional<WarpValue> WarpValues::constant(Constant *value) {
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

std::optional<WarpValue> WarpValues::invariant(Instruction &instruction) {
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

std::optional<WarpValue> WarpValues::get(Value *value) {
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

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Whether another block reads it: a phi does at the end of the block before.
bool WarpValues::neededElsewhere(const Instruction &instruction) const {
  return any_of(instruction.uses(), [&](const Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    return (phi ? phi->getIncomingBlock(use) : user->getParent()) !=
           instruction.getParent();
  });
}

void WarpValues::makeSlots(ArrayRef<BasicBlock *> blocks) {
  for (BasicBlock *block : blocks)
    for (Instruction &instruction : *block) {
      if (instruction.getType()->isVoidTy() || isInvariant(&instruction) ||
          (!isa<PHINode>(instruction) && !neededElsewhere(instruction)))
        continue;
      WarpSlot &slot = slots[&instruction];
      for (Type *part : partTypes(instruction.getType()))
        slot.push_back(
            memory(part->isIntegerTy(1)
                       ? builder.getInt32Ty()
                       : cast<Type>(FixedVectorType::get(part, kLanes)),
                   "slot"));
    }
}

/// Truth values are a bit each there.
WarpValue WarpValues::read(const WarpSlot &slot, Type *type) {
  WarpValue value;
  for (auto [part, memory] : zip(partTypes(type), slot)) {
    Value *loaded = builder.CreateAlignedLoad(memory->getAllocatedType(),
                                              memory, Align(64));
    value.parts.push_back(part->isIntegerTy(1) ? context.conditionsOf(loaded)
                                               : loaded);
  }
  return value;
}

/// Lanes that do not run keep what they have.
void WarpValues::blend(const WarpSlot &slot, const WarpValue &value,
                       Value *lanes) {
  for (unsigned i = 0; i < slot.size(); ++i) {
    AllocaInst *memory = slot[i];
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
      now = builder.CreateSelect(context.conditionsOf(lanes), now, before);
    }
    builder.CreateAlignedStore(now, memory, Align(64));
  }
}

void WarpValues::store(const WarpSlot &slot, const WarpValue &value) {
  for (unsigned i = 0; i < slot.size(); ++i) {
    AllocaInst *memory = slot[i];
    Value *now = vectorPart(builder, value, i);
    if (memory->getAllocatedType()->isIntegerTy())
      now = builder.CreateBitCast(now, builder.getInt32Ty());
    builder.CreateAlignedStore(now, memory, Align(64));
  }
}

/// Of the lanes that run, which are most often all 32.
void WarpValues::write(ArrayRef<WarpWrite> values) {
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

void WarpValues::define(Instruction &instruction, const WarpValue &value) {
  here[&instruction] = value;
  auto slot = slots.find(&instruction);
  if (slot != slots.end())
    defined.push_back({&slot->second, value});
}

std::optional<SmallVector<WarpWrite>> WarpValues::phiValues(BasicBlock *from,
                                                            BasicBlock *to) {
  SmallVector<WarpWrite> values;
  for (PHINode &phi : to->phis()) {
    auto value = get(phi.getIncomingValueForBlock(from));
    if (!value || value->parts.empty())
      return std::nullopt;
    values.push_back({&slots[&phi], *value});
  }
  return values;
}
