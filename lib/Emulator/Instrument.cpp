//===- Instrument.cpp - checks and counts in the compiled code ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"
#include "Segments.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

/// Compiled code calls this before each access that has no window yet.
static void checkAccess(Site *site, char *address, char *base, uint64_t size) {
  Processor &processor = *currentThread->processor;
  processor.access(*site, address, base, size);
  processor.abandonIfFailed();
}

/// The same for an access of a size that is not known before. The log may not
/// grow, and so move, for it: the rest of the segment writes to it. There is
/// room, which the slack counts.
static void checkCopy(Site *site, char *address, char *base, uint64_t size) {
  Processor &processor = *currentThread->processor;
  processor.logAccess(*site, address, size);
  processor.access(*site, address, base, size);
  processor.abandonIfFailed();
}

/// Loops call this when their thread's log is full.
static void growLog() { currentThread->processor->growLog(*currentThread); }

namespace {

/// One access of an instruction (a copy has two).
struct Access {
  Instruction *instruction;
  Value *pointer;
  Value *size; ///< i64
  AccessKind kind;
  Align align;
  const char *verb;
  Value *object = nullptr; ///< that the pointer was computed from
  Site *site = nullptr;
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
  void instrument(const SegmentCut &cut, SegmentCosts &costs);
  Value *beginSegment(Instruction &first, const Segment &segment);
  void askForRoom(Instruction &first);
  void check(const Access &access);
  Site &makeSite(const Access &access, Value *object);
  Value *outsideWindow(IRBuilderBase &builder, const Site &site, Value *address,
                       Value *base, bool baseIsFixed, uint64_t size);
  std::string describe(const Access &access, Value *object) const;

  Function &function;
  const SharedLayout &shared;
  Rewritten &rewritten;
  const DataLayout &layout;
  SmallVector<Access> accesses; ///< of the segment
  SmallVector<Instruction *> loops;
};

} // namespace

/// Whether a segment reserves an entry of the log for it.
static bool isLogged(const Access &access) {
  return !isa<AnyMemIntrinsic>(access.instruction);
}

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

Site &Instrumenter::makeSite(const Access &access, Value *object) {
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
  if (isLogged(access)) {
    site.number = uint32_t(rewritten.windows.size());
    rewritten.windows.push_back(&site);
  }
  return site;
}

/// Whether an access needs the emulator: it is misaligned, or not in the window
/// of its site.
Value *Instrumenter::outsideWindow(IRBuilderBase &builder, const Site &site,
                                   Value *address, Value *base,
                                   bool baseIsFixed, uint64_t size) {
  Type *i64 = builder.getInt64Ty();
  Value *window = builder.CreatePtrAdd(
      windowsPointer(function),
      builder.getInt64(uint64_t(site.number) * sizeof(Window)));
  auto field = [&](size_t offset) {
    return builder.CreateLoad(
        i64, builder.CreatePtrAdd(window, builder.getInt64(offset)));
  };
  Value *begin = field(offsetof(Window, begin));
  Value *extent = field(offsetof(Window, extent));
  Value *outside =
      builder.CreateICmpUGE(builder.CreateSub(address, begin), extent);
  if (!baseIsFixed) {
    Value *end = builder.CreateAdd(extent, builder.getInt64(size));
    outside = builder.CreateOr(
        outside, builder.CreateICmpUGE(builder.CreateSub(base, begin), end));
  }
  if (site.alignment > 1) {
    Value *low =
        builder.CreateAnd(address, builder.getInt64(site.alignment - 1));
    outside = builder.CreateOr(outside,
                               builder.CreateICmpNE(low, builder.getInt64(0)));
  }
  return outside;
}

void Instrumenter::check(const Access &access) {
  Value *object = access.object;
  Site &site = *access.site;
  IRBuilder<> builder(access.instruction);
  // As numbers: a pointer given to a call would count as captured, and what is
  // known of the arguments of the kernel might not be true any more.
  Type *i64 = builder.getInt64Ty();
  Value *address = builder.CreatePtrToInt(access.pointer, i64);
  bool hasBase = isa<Argument, Instruction, GlobalVariable>(object) &&
                 !site.isShared && object->getType()->isPointerTy();
  Value *base = hasBase ? builder.CreatePtrToInt(object, i64) : address;
  Value *size = builder.CreateZExtOrTrunc(access.size, i64);
  LLVMContext &context = function.getContext();
  if (site.number != ~0u) {
    // A launch gives all threads the same arguments.
    bool isFixed = !hasBase || isa<GlobalVariable>(object) ||
                   (isa<Argument>(object) && isKernel(function));
    Value *outside =
        outsideWindow(builder, site, address, base, isFixed,
                      cast<ConstantInt>(access.size)->getZExtValue());
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(
        outside, access.instruction->getIterator(), /*Unreachable=*/false,
        MDBuilder(context).createUnlikelyBranchWeights()));
  }
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {builder.getPtrTy(), i64, i64, i64}, false);
  auto *callee =
      reinterpret_cast<void *>(isLogged(access) ? checkAccess : checkCopy);
  builder.CreateCall(type, hostAddress(context, callee),
                     {hostAddress(context, &site), address, base, size});
}

/// Adds the segment's entries to the log; returns the first.
Value *Instrumenter::beginSegment(Instruction &first, const Segment &segment) {
  IRBuilder<> builder(&first);
  Value *end = threadField(builder, function, offsetof(Registers, log));
  Value *log = builder.CreateLoad(builder.getPtrTy(), end);
  const uint64_t entries = 1 + segment.accesses.size();
  rewritten.logSlack += uint32_t(entries);
  builder.CreateStore(builder.getInt64(rewritten.segments.size()), log);
  builder.CreateStore(
      builder.CreatePtrAdd(log, builder.getInt64(8 * kLogStride * entries)),
      end);
  Value *field =
      threadField(builder, function, offsetof(Registers, instructions));
  Value *before = builder.CreateLoad(builder.getInt64Ty(), field);
  builder.CreateStore(
      builder.CreateAdd(before, builder.getInt64(segment.instructions)), field);
  return log;
}

/// Before a loop's segment: grows the log if it is full.
void Instrumenter::askForRoom(Instruction &first) {
  IRBuilder<> builder(&first);
  LLVMContext &context = function.getContext();
  auto load = [&](size_t offset) {
    return builder.CreateLoad(builder.getInt64Ty(),
                              threadField(builder, function, offset));
  };
  Value *full = builder.CreateICmpUGE(load(offsetof(Registers, log)),
                                      load(offsetof(Registers, logEnd)));
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(
      full, first.getIterator(), /*Unreachable=*/false,
      MDBuilder(context).createUnlikelyBranchWeights()));
  builder.CreateCall(FunctionType::get(builder.getVoidTy(), false),
                     hostAddress(context, reinterpret_cast<void *>(growLog)));
}

void Instrumenter::instrument(const SegmentCut &cut, SegmentCosts &costs) {
  accesses.clear();
  for (Instruction *instruction : cut.body)
    collect(*instruction);
  for (Access &access : accesses)
    access.object = getUnderlyingObject(access.pointer, /*MaxLookup=*/0);
  erase_if(accesses,
           [](const Access &access) { return isa<AllocaInst>(access.object); });
  SmallVector<SegmentAccess> logged;
  for (Access &access : accesses) {
    access.site = &makeSite(access, access.object);
    if (isLogged(access))
      logged.push_back(
          {access.instruction,
           uint32_t(cast<ConstantInt>(access.size)->getZExtValue()),
           access.site});
  }
  Segment segment = costs.describe(cut, logged);
  Value *log = beginSegment(*cut.body.front(), segment);
  // Room is made before the segment takes its entries: a log that grows moves.
  if (cut.beginsLoop)
    loops.push_back(cast<Instruction>(log));
  uint64_t entry = 0;
  for (const Access &access : accesses) {
    if (!isLogged(access)) {
      rewritten.logSlack += 2;
      continue;
    }
    IRBuilder<> builder(access.instruction);
    builder.CreateStore(
        builder.CreatePtrToInt(access.pointer, builder.getInt64Ty()),
        builder.CreatePtrAdd(log, builder.getInt64(8 * kLogStride * ++entry)));
  }
  rewritten.segments.push_back(std::move(segment));
  for (const Access &access : accesses)
    check(access);
}

void Instrumenter::run() {
  SegmentCosts costs;
  for (const SegmentCut &cut : cutIntoSegments(function))
    instrument(cut, costs);
  // Last, as it splits blocks.
  for (Instruction *first : loops)
    askForRoom(*first);
}

void emu::instrument(Module &module, const SharedLayout &shared,
                     Rewritten &rewritten) {
  for (Function &function : module)
    if (!function.isDeclaration())
      Instrumenter(function, shared, rewritten).run();
}
