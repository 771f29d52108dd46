//===- WarpAccess.cpp - loads, stores and atomics of a warp ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of an access go to its row, and are tested against the site's
// window all at once. Where lanes have the same address, one loads for all;
// where they lie in a row, one access is made for all; else each lane makes its
// own.
//
//===----------------------------------------------------------------------===//

#include "WarpCode.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

static void checkAccess(WarpFrame *warp, const Site *site, const Row *row,
                        const uint64_t *bases, uint64_t size, uint32_t lanes) {
  warp->processor->access(*warp, *site, row->addresses, bases, size, lanes);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

BasicBlock *WarpContext::block(const char *name) const {
  return BasicBlock::Create(builder->getContext(), name,
                            builder->GetInsertBlock()->getParent());
}

CallInst *WarpContext::call(void *callee, ArrayRef<Value *> values) const {
  SmallVector<Type *> types;
  for (Value *value : values)
    types.push_back(value->getType());
  return builder->CreateCall(
      FunctionType::get(builder->getVoidTy(), types, false),
      hostAddress(builder->getContext(), callee), values);
}

std::pair<BasicBlock *, BasicBlock *>
WarpContext::branchUnlikely(Value *condition) const {
  BasicBlock *then = block("then"), *next = block("next");
  builder->CreateCondBr(
      condition, then, next,
      MDBuilder(builder->getContext()).createUnlikelyBranchWeights());
  return {then, next};
}

/// Whatever the others have, poison as well, is no part of it.
Value *WarpContext::bitsOf(Value *conditions) const {
  return builder->CreateBitCast(
      builder->CreateSelect(active, conditions,
                            Constant::getNullValue(conditions->getType())),
      builder->getInt32Ty());
}

void WarpContext::forEachLane(function_ref<void(Value *lane)> body) const {
  BasicBlock *before = builder->GetInsertBlock(), *loop = block("lane"),
             *done = block("lanes.done");
  builder->CreateBr(loop);
  builder->SetInsertPoint(loop);
  PHINode *rest = builder->CreatePHI(builder->getInt32Ty(), 2);
  rest->addIncoming(lanes, before);
  Value *lane =
      builder->CreateBinaryIntrinsic(Intrinsic::cttz, rest, builder->getTrue());
  body(builder->CreateZExt(lane, builder->getInt64Ty()));
  Value *left =
      builder->CreateAnd(rest, builder->CreateSub(rest, builder->getInt32(1)));
  rest->addIncoming(left, builder->GetInsertBlock());
  builder->CreateCondBr(builder->CreateIsNull(left), done, loop);
  builder->SetInsertPoint(done);
}

/// The lane's element of an array.
Value *WarpAccesses::at(Value *begin, Value *index, uint64_t stride) {
  IRBuilder<> &b = *context.builder;
  return b.CreatePtrAdd(begin, b.CreateMul(index, b.getInt64(stride)));
}

//===----------------------------------------------------------------------===//
// Interleaved elements: parts of vectors that lanes have side by side
//===----------------------------------------------------------------------===//

using Values = SmallVector<Value *, 8>;

static Value *everySecond(IRBuilderBase &builder, Value *low, Value *high,
                          int begin) {
  SmallVector<int> mask;
  for (int i = 0; i < int(kLanes); ++i)
    mask.push_back(2 * i + begin);
  return builder.CreateShuffleVector(low, high, mask);
}

/// Of elements a0 b0 a1 b1 ...: vectors a and b.
static Values takeApart(IRBuilderBase &builder, const Values &chunks) {
  if (chunks.size() == 1)
    return chunks;
  Values half[2], result;
  for (int odd = 0; odd < 2; ++odd) {
    for (size_t i = 0; i < chunks.size(); i += 2)
      half[odd].push_back(everySecond(builder, chunks[i], chunks[i + 1], odd));
    half[odd] = takeApart(builder, half[odd]);
  }
  for (size_t i = 0; i < half[0].size(); ++i)
    for (const Values &part : half)
      result.push_back(part[i]);
  return result;
}

static Value *alternately(IRBuilderBase &builder, Value *a, Value *b,
                          int begin) {
  SmallVector<int> mask;
  for (int i = 0; i < int(kLanes); ++i)
    mask.push_back(begin + i / 2 + i % 2 * int(kLanes));
  return builder.CreateShuffleVector(a, b, mask);
}

/// The inverse.
static Values putTogether(IRBuilderBase &builder, const Values &parts) {
  if (parts.size() == 1)
    return parts;
  Values half[2], result;
  for (size_t i = 0; i < parts.size(); ++i)
    half[i % 2].push_back(parts[i]);
  for (Values &each : half)
    each = putTogether(builder, each);
  for (size_t i = 0; i < half[0].size(); ++i)
    for (int begin : {0, int(kLanes) / 2})
      result.push_back(alternately(builder, half[0][i], half[1][i], begin));
  return result;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Asks the emulator where an address is not in the window of the site. These
/// are numbers, or vectors of them.
void WarpAccesses::check(const Access &access, Value *address, Value *base) {
  IRBuilder<> &b = *context.builder;
  Value *outside =
      outsideWindow(b, context.windows, *access.site, address,
                    access.isBaseFixed() ? nullptr : base, access.bytes());
  if (outside->getType()->isVectorTy())
    outside = b.CreateIsNotNull(context.bitsOf(outside));
  auto [then, next] = context.branchUnlikely(outside);
  b.SetInsertPoint(then);
  if (!base->getType()->isVectorTy())
    base = b.CreateVectorSplat(kLanes, base);
  b.CreateAlignedStore(base, context.scratch[0], Align(64));
  context.call(reinterpret_cast<void *>(checkAccess),
               {context.frame, hostAddress(b.getContext(), access.site), row,
                context.scratch[0], b.getInt64(access.bytes()), context.lanes});
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

/// Writes it to the row.
void WarpAccesses::findArrangement(Value *addresses, uint64_t bytes) {
  IRBuilder<> &b = *context.builder;
  Value *lane =
      b.CreateBinaryIntrinsic(Intrinsic::cttz, context.lanes, b.getTrue());
  first = b.CreateLoad(b.getInt64Ty(),
                       at(row, b.CreateZExt(lane, b.getInt64Ty()), 8));
  Value *firsts = b.CreateVectorSplat(kLanes, first);
  isSame = b.CreateIsNull(context.bitsOf(b.CreateICmpNE(addresses, firsts)));
  SmallVector<Constant *> steps;
  for (unsigned i = 0; i < kLanes; ++i)
    steps.push_back(b.getInt64(i * bytes));
  Value *differ = context.bitsOf(b.CreateICmpNE(
      addresses, b.CreateAdd(firsts, ConstantVector::get(steps))));
  Value *all = b.CreateICmpEQ(context.lanes, b.getInt32(~0u));
  isInARow = b.CreateAnd(all, b.CreateIsNull(differ));
  auto number = [&](Arrangement arrangement) {
    return b.getInt32(uint32_t(arrangement));
  };
  Value *arrangement =
      b.CreateSelect(isSame, number(Arrangement::Same),
                     b.CreateSelect(isInARow, number(Arrangement::InARow),
                                    number(Arrangement::Any)));
  b.CreateStore(arrangement,
                b.CreatePtrAdd(row, b.getInt64(offsetof(Row, arrangement))));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether values of the type lie in memory as so many equal parts without
/// gaps.
bool WarpAccesses::describeMemory(Type *type) {
  const SmallVector<Type *, 4> types = partTypes(type);
  if (types.empty() || !all_equal(types))
    return false;
  parts = unsigned(types.size());
  part = inMemory = types[0];
  if (part->isIntegerTy(1) && parts == 1)
    inMemory = context.builder->getInt8Ty();
  const unsigned bits = inMemory->getPrimitiveSizeInBits();
  return bits >= 8 && isPowerOf2_32(bits) && isPowerOf2_32(parts) &&
         parts <= WarpContext::kMostMemoryParts && !type->isStructTy();
}

/// What one address holds, for all lanes.
WarpValue WarpAccesses::loadOne(const Access &access, Value *address) {
  IRBuilder<> &b = *context.builder;
  WarpValue result;
  result.isUniform = true;
  Value *pointer = b.CreateIntToPtr(address, b.getPtrTy());
  for (unsigned i = 0; i < parts; ++i) {
    const uint64_t offset = i * (inMemory->getPrimitiveSizeInBits() / 8);
    Value *value = b.CreateAlignedLoad(
        inMemory, b.CreatePtrAdd(pointer, b.getInt64(offset)),
        commonAlignment(access.align, offset));
    result.parts.push_back(part == inMemory ? value
                                            : b.CreateTrunc(value, part));
  }
  return result;
}

WarpValue WarpAccesses::load(const Access &access) {
  IRBuilder<> &b = *context.builder;
  BasicBlock *same = context.block("same"), *differ = context.block("differ"),
             *each = context.block("each"), *wide = context.block("wide"),
             *done = context.block("loaded");
  b.CreateCondBr(isSame, same, differ);
  b.SetInsertPoint(same);
  const WarpValue one = loadOne(access, first);
  Values ofOne;
  for (unsigned i = 0; i < parts; ++i)
    ofOne.push_back(vectorPart(b, one, i));
  same = b.GetInsertBlock();
  b.CreateBr(done);

  b.SetInsertPoint(differ);
  Value *together = b.CreateIntToPtr(first, b.getPtrTy());
  b.CreateCondBr(isInARow, wide, each);
  b.SetInsertPoint(each);
  const uint64_t bytes = access.bytes();
  Type *whole = b.getIntNTy(unsigned(8 * bytes));
  context.forEachLane([&](Value *lane) {
    Value *address = b.CreateLoad(b.getInt64Ty(), at(row, lane, 8));
    Value *value = b.CreateAlignedLoad(
        whole, b.CreateIntToPtr(address, b.getPtrTy()), access.align);
    b.CreateAlignedStore(value, at(context.scratch[0], lane, bytes), Align(1));
  });
  each = b.GetInsertBlock();
  b.CreateBr(wide);

  b.SetInsertPoint(wide);
  PHINode *from = b.CreatePHI(b.getPtrTy(), 2);
  from->addIncoming(together, differ);
  from->addIncoming(context.scratch[0], each);
  Type *vector = FixedVectorType::get(inMemory, kLanes);
  Values chunks;
  for (unsigned i = 0; i < parts; ++i)
    chunks.push_back(b.CreateAlignedLoad(
        vector,
        b.CreatePtrAdd(from, b.getInt64(uint64_t(i) * kLanes * bytes / parts)),
        Align(1)));
  chunks = takeApart(b, chunks);
  if (part != inMemory)
    chunks[0] = b.CreateTrunc(chunks[0], FixedVectorType::get(part, kLanes));
  b.CreateBr(done);

  b.SetInsertPoint(done);
  WarpValue result;
  for (unsigned i = 0; i < parts; ++i) {
    PHINode *phi = b.CreatePHI(ofOne[i]->getType(), 2);
    phi->addIncoming(ofOne[i], same);
    phi->addIncoming(chunks[i], wide);
    result.parts.push_back(phi);
  }
  return result;
}

void WarpAccesses::store(const Access &access, const WarpValue &value) {
  IRBuilder<> &b = *context.builder;
  Values chunks;
  for (unsigned i = 0; i < parts; ++i)
    chunks.push_back(vectorPart(b, value, i));
  if (part != inMemory)
    chunks[0] = b.CreateZExt(chunks[0], FixedVectorType::get(inMemory, kLanes));
  chunks = putTogether(b, chunks);
  const uint64_t bytes = access.bytes();
  auto storeAll = [&](Value *to) {
    for (auto [i, chunk] : enumerate(chunks))
      b.CreateAlignedStore(
          chunk,
          b.CreatePtrAdd(to, b.getInt64(uint64_t(i) * kLanes * bytes / parts)),
          Align(1));
  };
  BasicBlock *wide = context.block("wide"), *each = context.block("each"),
             *done = context.block("stored");
  b.CreateCondBr(isInARow, wide, each);
  b.SetInsertPoint(wide);
  storeAll(b.CreateIntToPtr(first, b.getPtrTy()));
  b.CreateBr(done);
  b.SetInsertPoint(each);
  storeAll(context.scratch[0]);
  Type *whole = b.getIntNTy(unsigned(8 * bytes));
  context.forEachLane([&](Value *lane) {
    Value *one = b.CreateAlignedLoad(whole, at(context.scratch[0], lane, bytes),
                                     Align(1));
    Value *address = b.CreateLoad(b.getInt64Ty(), at(row, lane, 8));
    b.CreateAlignedStore(one, b.CreateIntToPtr(address, b.getPtrTy()),
                         access.align);
  });
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

/// Lane by lane, by the kernel's own instruction.
std::optional<WarpValue> WarpAccesses::atomic(const Access &access,
                                              ArrayRef<WarpValue> values) {
  IRBuilder<> &b = *context.builder;
  Instruction &original = *access.instruction;
  const bool isStore = isa<StoreInst>(original);
  // The pointer is the first operand, but of stores.
  SmallVector<Type *> types;
  for (const WarpValue &value : values)
    types.push_back(value.parts[0]->getType()->getScalarType());
  for (unsigned i = 0; i < values.size(); ++i)
    if (values[i].parts.size() != 1 ||
        original.getOperand(isStore ? i : i + 1)->getType() != types[i])
      return std::nullopt;
  const SmallVector<Type *, 4> resultTypes = partTypes(original.getType());
  const bool hasResult = !isStore && !original.use_empty();
  if (values.size() > 2 || (hasResult && resultTypes.empty()))
    return std::nullopt;
  constexpr uint64_t each = 8;
  auto slot = [&](Value *lane, unsigned i) {
    return at(b.CreatePtrAdd(context.scratch[i],
                             b.getInt64(WarpContext::kScratchBytes / 2)),
              lane, each);
  };
  for (unsigned i = 0; i < values.size(); ++i)
    b.CreateAlignedStore(vectorPart(b, values[i], 0), context.scratch[i],
                         Align(64));
  context.forEachLane([&](Value *lane) {
    Instruction *copy = original.clone();
    const unsigned pointerAt = isStore ? 1 : 0;
    Value *address = b.CreateLoad(b.getInt64Ty(), at(row, lane, 8));
    copy->setOperand(
        pointerAt,
        b.CreateIntToPtr(address, original.getOperand(pointerAt)->getType()));
    for (unsigned i = 0; i < values.size(); ++i)
      copy->setOperand(
          isStore ? i : i + 1,
          b.CreateLoad(types[i], at(context.scratch[i], lane,
                                    types[i]->getPrimitiveSizeInBits() / 8)));
    copy->setDebugLoc(DebugLoc());
    copy->dropUnknownNonDebugMetadata();
    b.Insert(copy);
    if (!hasResult)
      return;
    for (unsigned i = 0; i < resultTypes.size(); ++i) {
      Value *one =
          resultTypes.size() == 1 ? copy : b.CreateExtractValue(copy, i);
      if (one->getType()->isPointerTy())
        one = b.CreatePtrToInt(one, b.getInt64Ty());
      if (!one->getType()->isIntegerTy())
        one = b.CreateBitCast(
            one, b.getIntNTy(one->getType()->getPrimitiveSizeInBits()));
      b.CreateStore(b.CreateZExt(one, b.getInt64Ty()), slot(lane, i));
    }
  });
  WarpValue result;
  if (hasResult)
    for (unsigned i = 0; i < resultTypes.size(); ++i) {
      Value *bits =
          b.CreateAlignedLoad(FixedVectorType::get(b.getInt64Ty(), kLanes),
                              slot(b.getInt64(0), i), Align(8));
      Type *narrow = b.getIntNTy(resultTypes[i]->getPrimitiveSizeInBits());
      bits = b.CreateTrunc(bits, FixedVectorType::get(narrow, kLanes));
      result.parts.push_back(
          b.CreateBitCast(bits, FixedVectorType::get(resultTypes[i], kLanes)));
    }
  return result;
}

std::optional<WarpValue> WarpAccesses::make(const Access &access,
                                            unsigned rowNumber,
                                            const WarpValue &address,
                                            const WarpValue &base,
                                            ArrayRef<WarpValue> values) {
  IRBuilder<> &b = *context.builder;
  row = b.CreatePtrAdd(context.rows,
                       b.getInt64(uint64_t(rowNumber) * sizeof(Row)));
  auto *load = dyn_cast<LoadInst>(access.instruction);
  auto *store = dyn_cast<StoreInst>(access.instruction);
  const bool isAtomic = access.kind == AccessKind::Atomic;
  if (!isAtomic && !describeMemory(load ? load->getType()
                                        : store->getValueOperand()->getType()))
    return std::nullopt;
  Value *addresses = vectorPart(b, address, 0);
  b.CreateAlignedStore(addresses, row, Align(64));
  if (load && !isAtomic && address.isUniform && base.isUniform) {
    b.CreateStore(b.getInt32(uint32_t(Arrangement::Same)),
                  b.CreatePtrAdd(row, b.getInt64(offsetof(Row, arrangement))));
    check(access, address.parts[0], base.parts[0]);
    return loadOne(access, address.parts[0]);
  }
  check(access, addresses, vectorPart(b, base, 0));
  findArrangement(addresses, access.bytes());
  if (isAtomic)
    return atomic(access, values);
  if (load)
    return this->load(access);
  this->store(access, values[0]);
  return WarpValue();
}
