//===- Halves.cpp - bf16 by its bits --------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, rounds to and widens bf16 by its bits: where the processor has no
// instructions for it, code generators call a function, for values that
// another block uses too, which not every compiler's library has.
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace astfe;

/// The same type of integers as wide as bf16.
static Type *bitsType(Type *halves) {
  return halves->getWithNewType(Type::getInt16Ty(halves->getContext()));
}

/// The nearest bf16, ties to even.
static Value *roundedBits(IRBuilder<> &builder, FPTruncInst &rounding) {
  Value *value = rounding.getOperand(0);
  Type *words = value->getType()->getWithNewType(builder.getInt32Ty());
  auto number = [&](uint64_t bits) { return ConstantInt::get(words, bits); };
  Value *bits = builder.CreateBitCast(value, words);
  Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), 1);
  Value *rounded =
      builder.CreateAdd(bits, builder.CreateAdd(odd, number(0x7fff)));
  // Its low bits may be all that makes it one.
  Value *quiet = builder.CreateOr(bits, number(0x400000));
  Value *kept =
      builder.CreateSelect(builder.CreateFCmpUNO(value, value), quiet, rounded);
  return builder.CreateTrunc(builder.CreateLShr(kept, 16),
                             bitsType(rounding.getType()));
}

static Value *asBits(IRBuilder<> &builder, Value *halves) {
  return builder.CreateBitCast(halves, bitsType(halves->getType()));
}

static Value *bitsOfPhi(IRBuilder<> &builder, PHINode &phi) {
  PHINode *bits =
      builder.CreatePHI(bitsType(phi.getType()), phi.getNumIncomingValues());
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
    IRBuilder<> end(block->getTerminator());
    bits->addIncoming(asBits(end, value), block);
  }
  BasicBlock *block = phi.getParent();
  builder.SetInsertPoint(block, block->getFirstInsertionPt());
  return bits;
}

/// The bits of what makes a bf16, or null where there is no other way.
static Value *bitsOf(IRBuilder<> &builder, Instruction &maker) {
  if (auto *phi = dyn_cast<PHINode>(&maker))
    return bitsOfPhi(builder, *phi);
  if (auto *select = dyn_cast<SelectInst>(&maker))
    return builder.CreateSelect(select->getCondition(),
                                asBits(builder, select->getTrueValue()),
                                asBits(builder, select->getFalseValue()));
  if (auto *rounding = dyn_cast<FPTruncInst>(&maker))
    return rounding->getSrcTy()->getScalarType()->isFloatTy()
               ? roundedBits(builder, *rounding)
               : nullptr;
  if (auto *load = dyn_cast<LoadInst>(&maker))
    return builder.CreateAlignedLoad(bitsType(load->getType()),
                                     load->getPointerOperand(),
                                     load->getAlign(), load->isVolatile());
  if (auto *extract = dyn_cast<ExtractElementInst>(&maker))
    return builder.CreateExtractElement(
        asBits(builder, extract->getVectorOperand()),
        extract->getIndexOperand());
  if (auto *insert = dyn_cast<InsertElementInst>(&maker))
    return builder.CreateInsertElement(asBits(builder, insert->getOperand(0)),
                                       asBits(builder, insert->getOperand(1)),
                                       insert->getOperand(2));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&maker))
    return builder.CreateShuffleVector(asBits(builder, shuffle->getOperand(0)),
                                       asBits(builder, shuffle->getOperand(1)),
                                       shuffle->getShuffleMask());
  return nullptr;
}

static bool isBFloat(const Value *value) {
  return value->getType()->getScalarType()->isBFloatTy();
}

/// The upper half of the bits of the f32.
static void expandWidening(FPExtInst &widening) {
  IRBuilder<> builder(&widening);
  Value *half = widening.getOperand(0);
  Value *bits = asBits(builder, half);
  Type *words = half->getType()->getWithNewType(builder.getInt32Ty());
  Value *high = builder.CreateShl(builder.CreateZExt(bits, words), 16);
  Type *floats = half->getType()->getWithNewType(builder.getFloatTy());
  Value *wide = builder.CreateBitCast(high, floats);
  if (floats != widening.getType())
    wide = builder.CreateFPExt(wide, widening.getType());
  widening.replaceAllUsesWith(wide);
  widening.eraseFromParent();
}

/// The bits of the bits are those.
static void foldBits(Module &module) {
  SmallVector<BitCastInst *> casts;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *cast = dyn_cast<BitCastInst>(&instruction))
        casts.push_back(cast);
  for (BitCastInst *cast : casts)
    if (auto *back = dyn_cast<BitCastInst>(cast->getOperand(0));
        back && isBFloat(back) && back->getSrcTy() == cast->getDestTy())
      cast->replaceAllUsesWith(back->getOperand(0));
  for (BitCastInst *cast : reverse(casts))
    if (cast->use_empty())
      cast->eraseFromParent();
}

void emu::expandHalves(Module &module) {
  SmallVector<Instruction *> makers;
  SmallVector<FPExtInst *> widenings;
  SmallVector<StoreInst *> stores;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (isBFloat(&instruction))
        makers.push_back(&instruction);
      else if (auto *widening = dyn_cast<FPExtInst>(&instruction);
               widening && isBFloat(widening->getOperand(0)))
        widenings.push_back(widening);
      else if (auto *store = dyn_cast<StoreInst>(&instruction);
               store && isBFloat(store->getValueOperand()))
        stores.push_back(store);
    }
  for (FPExtInst *widening : widenings)
    expandWidening(*widening);
  for (StoreInst *store : stores) {
    IRBuilder<> builder(store);
    Value *value = store->getValueOperand();
    builder.CreateAlignedStore(
        builder.CreateBitCast(value, bitsType(value->getType())),
        store->getPointerOperand(), store->getAlign(), store->isVolatile());
    store->eraseFromParent();
  }
  for (Instruction *maker : makers) {
    IRBuilder<> builder(maker);
    Value *bits = bitsOf(builder, *maker);
    if (!bits)
      continue;
    maker->replaceAllUsesWith(builder.CreateBitCast(bits, maker->getType()));
    maker->eraseFromParent();
  }
  foldBits(module);
}
