//===- Accesses.cpp - what the code of a segment touches ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

bool Access::isLogged() const { return !isa<AnyMemIntrinsic>(instruction); }

uint64_t Access::bytes() const {
  return cast<ConstantInt>(size)->getZExtValue();
}

bool Access::hasBase() const {
  return isa<Argument, Instruction, GlobalVariable>(object) &&
         !site->isShared && object->getType()->isPointerTy();
}

bool Access::isBaseFixed() const {
  return !hasBase() || isa<GlobalVariable>(object) ||
         (isa<Argument>(object) && isKernel(*instruction->getFunction()));
}

void AccessCollector::add(Instruction &instruction, Value *pointer, Type *type,
                          AccessKind kind, Align align, const char *verb) {
  Value *size =
      ConstantInt::get(Type::getInt64Ty(function.getContext()),
                       function.getDataLayout().getTypeStoreSize(type));
  found.push_back({&instruction, pointer, size, kind, align, verb});
}

void AccessCollector::collect(Instruction &instruction) {
  auto plainOr = [&](bool atomic, AccessKind kind) {
    return atomic ? AccessKind::Atomic : kind;
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    add(*load, load->getPointerOperand(), load->getType(),
        plainOr(load->isAtomic(), AccessKind::Read), load->getAlign(), "load");
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    add(*store, store->getPointerOperand(), store->getValueOperand()->getType(),
        plainOr(store->isAtomic(), AccessKind::Write), store->getAlign(),
        "store");
  } else if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
    add(*rmw, rmw->getPointerOperand(), rmw->getType(), AccessKind::Atomic,
        rmw->getAlign(), "atomic");
  } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    add(*swap, swap->getPointerOperand(), swap->getNewValOperand()->getType(),
        AccessKind::Atomic, swap->getAlign(), "atomic");
  } else if (auto *set = dyn_cast<AnyMemIntrinsic>(&instruction)) {
    if (auto *copy = dyn_cast<AnyMemTransferInst>(set))
      found.push_back({copy, copy->getRawSource(), copy->getLength(),
                       AccessKind::Read, copy->getSourceAlign().valueOrOne(),
                       "copy"});
    found.push_back({set, set->getRawDest(), set->getLength(),
                     AccessKind::Write, set->getDestAlign().valueOrOne(),
                     "copy"});
  }
}

std::string AccessCollector::describe(const Access &access) const {
  std::string text = access.verb;
  if (auto *size = dyn_cast<ConstantInt>(access.size))
    text += " of " + std::to_string(size->getZExtValue()) + " bytes";
  auto *argument = dyn_cast<Argument>(access.object);
  if (argument && isKernel(function))
    text += " through argument " + std::to_string(argument->getArgNo());
  else if (isa<GlobalVariable>(access.object))
    text += " in '" + access.object->getName().str() + "'";
  if (DebugLoc line = access.instruction->getDebugLoc())
    text += " at line " + std::to_string(line.getLine());
  return text;
}

Site &AccessCollector::makeSite(const Access &access) {
  Site &site = rewritten.sites.emplace_back();
  site.what = describe(access);
  site.kind = access.kind;
  site.alignment = uint32_t(access.align.value());
  auto *variable = dyn_cast<GlobalVariable>(access.object);
  const SharedLayout::Place *place =
      variable ? shared.find(&function, variable) : nullptr;
  if (place) {
    site.isShared = true;
    site.sharedOffset = place->offset;
    site.sharedBytes = place->bytes;
    site.isDynamicShared = place->isDynamic;
  }
  if (access.isLogged()) {
    site.number = rewritten.windows++;
  }
  return site;
}

SmallVector<Access> AccessCollector::collect(ArrayRef<Instruction *> body) {
  found.clear();
  for (Instruction *instruction : body)
    collect(*instruction);
  for (Access &access : found)
    access.object = getUnderlyingObject(access.pointer, /*MaxLookup=*/0);
  erase_if(found,
           [](const Access &access) { return isa<AllocaInst>(access.object); });
  for (Access &access : found)
    access.site = &makeSite(access);
  return std::move(found);
}

Value *emu::outsideWindow(IRBuilderBase &builder, Value *windows,
                          const Site &site, Value *address, Value *base,
                          uint64_t size) {
  Type *i64 = builder.getInt64Ty();
  Value *window = builder.CreatePtrAdd(
      windows, builder.getInt64(uint64_t(site.number) * sizeof(Window)));
  auto forAll = [&](Value *number) {
    auto *vector = dyn_cast<FixedVectorType>(address->getType());
    return vector ? builder.CreateVectorSplat(vector->getNumElements(), number)
                  : number;
  };
  auto field = [&](size_t offset) {
    return builder.CreateLoad(
        i64, builder.CreatePtrAdd(window, builder.getInt64(offset)));
  };
  Value *begin = forAll(field(offsetof(Window, begin)));
  Value *extent = field(offsetof(Window, extent));
  Value *outside =
      builder.CreateICmpUGE(builder.CreateSub(address, begin), forAll(extent));
  if (base) {
    Value *end = forAll(builder.CreateAdd(extent, builder.getInt64(size)));
    outside = builder.CreateOr(
        outside, builder.CreateICmpUGE(builder.CreateSub(base, begin), end));
  }
  if (site.alignment > 1) {
    Value *low = builder.CreateAnd(
        address, forAll(builder.getInt64(site.alignment - 1)));
    outside = builder.CreateOr(
        outside, builder.CreateICmpNE(low, forAll(builder.getInt64(0))));
  }
  return outside;
}
