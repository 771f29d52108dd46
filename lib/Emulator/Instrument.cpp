//===- Instrument.cpp - checks and counts in the compiled code ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

/// Compiled code calls this before each access.
static void checkAccess(Site *site, char *address, char *base, uint64_t size) {
  Launch &launch = *currentThread->launch;
  launch.access(*site, address, base, size);
  launch.abandonIfFailed();
}

namespace {

/// One access of an instruction (a copy has two).
struct Access {
  Instruction *instruction;
  Value *pointer;
  Value *size; ///< i64
  AccessKind kind;
  Align align;
  const char *verb;
};

class Instrumenter {
public:
  Instrumenter(Function &function, const SharedLayout &shared,
               Rewritten &rewritten)
      : function(function), shared(shared), rewritten(rewritten),
        layout(function.getParent()->getDataLayout()) {}

  void run();

private:
  void collect(Instruction &instruction);
  void add(Instruction &instruction, Value *pointer, Type *type,
           AccessKind kind, Align align, const char *verb);
  void check(const Access &access);
  std::string describe(const Access &access, Value *object) const;
  void countInstructions(BasicBlock &block, int64_t count);

  Function &function;
  const SharedLayout &shared;
  Rewritten &rewritten;
  const DataLayout &layout;
  SmallVector<Access> accesses;
};

} // namespace

void Instrumenter::add(Instruction &instruction, Value *pointer, Type *type,
                       AccessKind kind, Align align, const char *verb) {
  Value *size = ConstantInt::get(Type::getInt64Ty(function.getContext()),
                                 layout.getTypeStoreSize(type));
  accesses.push_back({&instruction, pointer, size, kind, align, verb});
}

void Instrumenter::collect(Instruction &instruction) {
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
      accesses.push_back({copy, copy->getRawSource(), copy->getLength(),
                          AccessKind::Read, copy->getSourceAlign().valueOrOne(),
                          "copy"});
    accesses.push_back({set, set->getRawDest(), set->getLength(),
                        AccessKind::Write, set->getDestAlign().valueOrOne(),
                        "copy"});
  }
}

std::string Instrumenter::describe(const Access &access, Value *object) const {
  std::string text = access.verb;
  if (auto *size = dyn_cast<ConstantInt>(access.size))
    text += " of " + std::to_string(size->getZExtValue()) + " bytes";
  auto *argument = dyn_cast<Argument>(object);
  if (argument && isKernel(function))
    text += " through argument " + std::to_string(argument->getArgNo());
  else if (isa<GlobalVariable>(object))
    text += " in '" + object->getName().str() + "'";
  if (DebugLoc line = access.instruction->getDebugLoc())
    text += " at line " + std::to_string(line.getLine());
  return text;
}

void Instrumenter::check(const Access &access) {
  Value *object = getUnderlyingObject(access.pointer, /*MaxLookup=*/0);
  if (isa<AllocaInst>(object))
    return;
  Site &site = rewritten.sites.emplace_back();
  site.what = describe(access, object);
  site.kind = access.kind;
  site.alignment = uint32_t(access.align.value());
  auto *variable = dyn_cast<GlobalVariable>(object);
  const SharedLayout::Place *place =
      variable ? shared.find(&function, variable) : nullptr;
  if (place) {
    site.isShared = true;
    site.sharedOffset = place->offset;
    site.sharedBytes = place->bytes;
    site.isDynamicShared = place->isDynamic;
  }
  IRBuilder<> builder(access.instruction);
  // As numbers: a pointer given to a call would count as captured, and what is
  // known of the arguments of the kernel might not be true any more.
  Type *i64 = builder.getInt64Ty();
  Value *address = builder.CreatePtrToInt(access.pointer, i64);
  bool hasBase = isa<Argument, Instruction, GlobalVariable>(object) && !place &&
                 object->getType()->isPointerTy();
  Value *base = hasBase ? builder.CreatePtrToInt(object, i64) : address;
  Value *size = builder.CreateZExtOrTrunc(access.size, i64);
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {builder.getPtrTy(), i64, i64, i64}, false);
  LLVMContext &context = function.getContext();
  builder.CreateCall(
      type, hostAddress(context, reinterpret_cast<void *>(checkAccess)),
      {hostAddress(context, &site), address, base, size});
}

/// Whether a GPU has an instruction for it: not for names of parts of
/// registers, and widening is a part of computing an address.
static bool isWork(const Instruction &instruction) {
  return !isa<PHINode, DbgInfoIntrinsic, ExtractElementInst, InsertElementInst,
              ExtractValueInst, InsertValueInst, ZExtInst, TruncInst,
              BitCastInst, AddrSpaceCastInst>(instruction);
}

void Instrumenter::countInstructions(BasicBlock &block, int64_t count) {
  IRBuilder<> builder(block.getTerminator());
  Value *field =
      threadField(builder, function, offsetof(Registers, instructions));
  Value *before = builder.CreateLoad(builder.getInt64Ty(), field);
  builder.CreateStore(builder.CreateAdd(before, builder.getInt64(count)),
                      field);
}

void Instrumenter::run() {
  SmallVector<std::pair<BasicBlock *, int64_t>> counts;
  for (BasicBlock &block : function) {
    int64_t count = 0;
    for (Instruction &instruction : block) {
      count += isWork(instruction);
      collect(instruction);
    }
    counts.emplace_back(&block, count);
  }
  for (const Access &access : accesses)
    check(access);
  for (auto [block, count] : counts)
    countInstructions(*block, count);
}

void emu::instrument(Module &module, const SharedLayout &shared,
                     Rewritten &rewritten) {
  for (Function &function : module)
    if (!function.isDeclaration())
      Instrumenter(function, shared, rewritten).run();
}
