//===- Instrument.cpp - checks and counts in the compiled code ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Segments.h"

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

class Instrumenter {
public:
  Instrumenter(Function &function, const SharedLayout &shared,
               Rewritten &rewritten)
      : function(function), rewritten(rewritten),
        collector(function, shared, rewritten) {}

  void run();

private:
  void instrument(const SegmentCut &cut, SegmentCosts &costs);
  Value *beginSegment(Instruction &first, const Segment &segment);
  void askForRoom(Instruction &first);
  void check(const Access &access);

  Function &function;
  Rewritten &rewritten;
  AccessCollector collector;
  SmallVector<Instruction *> loops;
};

} // namespace

void Instrumenter::check(const Access &access) {
  Value *object = access.object;
  Site &site = *access.site;
  IRBuilder<> builder(access.instruction);
  // As numbers: a pointer given to a call would count as captured, and what is
  // known of the arguments of the kernel might not be true any more.
  Type *i64 = builder.getInt64Ty();
  Value *address = builder.CreatePtrToInt(access.pointer, i64);
  Value *base =
      access.hasBase() ? builder.CreatePtrToInt(object, i64) : address;
  Value *size = builder.CreateZExtOrTrunc(access.size, i64);
  LLVMContext &context = function.getContext();
  if (site.number != ~0u) {
    Value *outside =
        outsideWindow(builder, windowsPointer(function), site, address,
                      access.isBaseFixed() ? nullptr : base, access.bytes());
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(
        outside, access.instruction->getIterator(), /*Unreachable=*/false,
        MDBuilder(context).createUnlikelyBranchWeights()));
  }
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {builder.getPtrTy(), i64, i64, i64}, false);
  auto *callee =
      reinterpret_cast<void *>(access.isLogged() ? checkAccess : checkCopy);
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
  const SmallVector<Access> accesses = collector.collect(cut.body);
  SmallVector<SegmentAccess> logged;
  for (const Access &access : accesses)
    if (access.isLogged())
      logged.push_back(
          {access.instruction, uint32_t(access.bytes()), access.site});
  Segment segment = costs.describe(cut, logged);
  Value *log = beginSegment(*cut.body.front(), segment);
  // Room is made before the segment takes its entries: a log that grows moves.
  if (cut.beginsLoop)
    loops.push_back(cast<Instruction>(log));
  uint64_t entry = 0;
  for (const Access &access : accesses) {
    if (!access.isLogged()) {
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
