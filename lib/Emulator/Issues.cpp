//===- Issues.cpp - what a GPU issues for an instruction of LLVM ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Issues.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace astfe;

bool emu::isWork(const Instruction &instruction) {
  return !isa<PHINode, DbgInfoIntrinsic, ExtractElementInst, InsertElementInst,
              ExtractValueInst, InsertValueInst, ZExtInst, TruncInst,
              BitCastInst, AddrSpaceCastInst>(instruction);
}

/// Instructions for one register of 32 bits, and for one of 64, of what is not
/// one for each register of 32 bits.
static constexpr struct {
  unsigned opcode;
  unsigned of32, of64;
} kArithmetic[] = {
    // IMAD.WIDE and an IMAD for each upper half.
    {Instruction::Mul, 1, 3},
    // By a reciprocal: I2F, MUFU.RCP, F2I and two corrections. With 64 bits it
    // is a function.
    {Instruction::UDiv, 18, 70},
    {Instruction::URem, 18, 70},
    {Instruction::SDiv, 24, 80},
    {Instruction::SRem, 24, 80},
    // MUFU.RCP and Newton's steps.
    {Instruction::FDiv, 9, 20},
    // SHF for each half.
    {Instruction::Shl, 1, 2},
    {Instruction::LShr, 1, 2},
    {Instruction::AShr, 1, 2},
    // Doubles have their own unit.
    {Instruction::FAdd, 1, 1},
    {Instruction::FSub, 1, 1},
    {Instruction::FMul, 1, 1},
    {Instruction::FNeg, 1, 1},
};

/// The same of LLVM's intrinsics.
static constexpr struct {
  Intrinsic::ID id;
  unsigned of32, of64;
} kIntrinsics[] = {
    // VIMNMX; ISETP of both halves and two SEL.
    {Intrinsic::smin, 1, 4},
    {Intrinsic::smax, 1, 4},
    {Intrinsic::umin, 1, 4},
    {Intrinsic::umax, 1, 4},
    // VIMNMX and IADD.
    {Intrinsic::usub_sat, 2, 6},
    // FLO and IADD.
    {Intrinsic::ctlz, 2, 4},
    {Intrinsic::fma, 1, 1},
    {Intrinsic::fmuladd, 1, 1},
};

/// Registers of 32 bits that a value takes, at least one.
static unsigned registersOf(Type *type, const DataLayout &layout) {
  if (!type->isSized())
    return 1;
  return unsigned(
      std::max<uint64_t>(1, (layout.getTypeSizeInBits(type) + 31) / 32));
}

/// A value that only an instruction of the same block uses.
static bool isOnlyFor(const Value *value, const Instruction &user) {
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->hasOneUse() &&
         instruction->getParent() == user.getParent();
}

/// A number of at most 32 bits, perhaps times a power of two: what IMAD.WIDE
/// takes.
static bool isWidened(const Value *value) {
  if (auto *shift = dyn_cast<BinaryOperator>(value))
    return shift->getOpcode() == Instruction::Shl && shift->hasOneUse() &&
           isa<ConstantInt>(shift->getOperand(1)) &&
           isWidened(shift->getOperand(0));
  return isa<ZExtInst, SExtInst>(value);
}

static bool isContracted(const Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && isa<FPMathOperator>(value) &&
         instruction->hasAllowContract();
}

/// Whether the only user's instruction does this, too.
static bool isPartOfUser(const Instruction &instruction) {
  if (!instruction.hasOneUse())
    return false;
  auto *user = dyn_cast<Instruction>(*instruction.user_begin());
  if (!user || user->getParent() != instruction.getParent())
    return false;
  switch (instruction.getOpcode()) {
  case Instruction::FMul: // FFMA
    return isContracted(&instruction) && isContracted(user) &&
           (user->getOpcode() == Instruction::FAdd ||
            user->getOpcode() == Instruction::FSub);
  case Instruction::Shl: // IMAD.WIDE
    return isa<GetElementPtrInst>(user) && isWidened(&instruction);
  default:
    return false;
  }
}

/// Whether it is the predicate of what computes its operand, or of a
/// comparison: a selection between a value and what that was computed from, and
/// logic of truth values.
static bool isPredicate(const Instruction &instruction) {
  if (auto *choice = dyn_cast<SelectInst>(&instruction)) {
    auto isFrom = [&](const Value *made, const Value *before) {
      return isOnlyFor(made, instruction) &&
             is_contained(cast<Instruction>(made)->operands(), before);
    };
    return isFrom(choice->getTrueValue(), choice->getFalseValue()) ||
           isFrom(choice->getFalseValue(), choice->getTrueValue());
  }
  if (!instruction.getType()->isIntegerTy(1))
    return false;
  const unsigned opcode = instruction.getOpcode();
  if (opcode == Instruction::Xor)
    return isa<Constant>(instruction.getOperand(1)); // !P
  return (opcode == Instruction::And || opcode == Instruction::Or) &&
         any_of(instruction.operands(), [&](const Use &operand) {
           return isa<CmpInst>(operand) && isOnlyFor(operand, instruction);
         });
}

/// IMAD.WIDE for an index of 32 bits, LEA and LEA.HI.X for one of 64; none for
/// a constant, which the access takes in.
static unsigned issuesOfAddress(const GetElementPtrInst &address) {
  unsigned issues = 0;
  for (const Value *index : address.indices())
    if (!isa<Constant>(index))
      issues += isWidened(index) || !index->getType()->isIntegerTy(64) ? 1 : 2;
  return issues;
}

unsigned emu::issuesOf(const Instruction &instruction) {
  if (!isWork(instruction) || isa<AssumeInst>(instruction) ||
      isPartOfUser(instruction) || isPredicate(instruction))
    return 0;
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return issuesOfAddress(*address);
  if (instruction.isTerminator()) {
    auto *branch = dyn_cast<BranchInst>(&instruction);
    return !branch || branch->isConditional() ? 1 : 0;
  }
  if (isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst, SExtInst>(
          instruction))
    return 1; // of a vector, too
  const DataLayout &layout = instruction.getModule()->getDataLayout();
  Type *type = instruction.getType();
  const unsigned registers = registersOf(type, layout);
  const bool isWide = type->getScalarSizeInBits() > 32;
  const unsigned elements = isWide ? std::max(1u, registers / 2) : registers;
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    if (call->getCalledFunction()->getName().starts_with("llvm.nvvm."))
      return 1;
    for (const auto &row : kIntrinsics)
      if (row.id == call->getIntrinsicID())
        return elements * (isWide ? row.of64 : row.of32);
  }
  if (auto *compare = dyn_cast<CmpInst>(&instruction)) {
    Type *compared = compare->getOperand(0)->getType();
    return compared->getScalarType()->isDoubleTy()
               ? 1
               : std::min(2u, registersOf(compared, layout));
  }
  if (instruction.getOpcode() == Instruction::Mul && isWide &&
      all_of(instruction.operands(),
             [](const Use &operand) { return isWidened(operand); }))
    return elements;
  for (const auto &row : kArithmetic)
    if (row.opcode == instruction.getOpcode())
      return elements * (isWide ? row.of64 : row.of32);
  return registers;
}
