//===- WarpCalls.cpp - special registers, collectives and barriers --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpCalls.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

static constexpr unsigned kMostArguments = 16, kMostResultBytes = 64;

static void callCollective(WarpFrame *warp, const Meaning *meaning,
                           uint32_t lanes, const char *arguments,
                           char *results) {
  warp->processor->collective(*warp, meaning->compute, meaning->maskIndex,
                              lanes, arguments, results);
}

static void passCollective(WarpFrame *warp, uint32_t lanes) {
  warp->processor->passCollective(*warp, lanes);
}

static void callBarrier(WarpFrame *warp, const Meaning *meaning,
                        const Site *site, uint32_t lanes,
                        const char *arguments) {
  const Lanes here(arguments, nullptr, lanes);
  auto common = [&](unsigned index) {
    const auto first =
        here.argument<int32_t>(unsigned(__builtin_ctz(lanes)), index);
    here.forEach([&](unsigned lane) {
      if (here.argument<int32_t>(lane, index) != first)
        warp->processor->needFibers();
    });
    return first;
  };
  Wait wait;
  wait.site = site;
  wait.aligned = meaning->isAligned;
  wait.barrier = common(0);
  if (meaning->isCounted)
    wait.expected = common(1);
  warp->processor->barrier(*warp, wait, lanes, meaning->arriveOnly);
}

/// The meaning of a call that has one here, or null.
static const Meaning *meaningOf(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.")
             ? findMeaning(callee->getName().str())
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Fields in which the lanes of a warp differ: tid, lane and what follows from
/// it, and the clock.
static bool differsByLane(size_t offset) {
  return offset < offsetof(Registers, ntid) ||
         offset == offsetof(Registers, lane) ||
         (offset >= offsetof(Registers, laneEqual) &&
          offset <= offsetof(Registers, laneGreaterEqual)) ||
         offset == offsetof(Registers, instructions);
}

bool WarpCalls::isUniformRegister(const CallInst &call) {
  const Meaning *meaning = meaningOf(call);
  return meaning && meaning->kind == Meaning::Register &&
         !differsByLane(meaning->offset);
}

WarpValue WarpCalls::uniformRegister(IRBuilderBase &builder,
                                     const CallInst &call) {
  WarpValue value;
  value.isUniform = true;
  value.parts.push_back(builder.CreateLoad(
      call.getType(),
      builder.CreatePtrAdd(registers,
                           builder.getInt64(meaningOf(call)->offset))));
  return value;
}

std::optional<WarpValue> WarpCalls::laneRegister(const Meaning &meaning,
                                                 Type *type) {
  IRBuilder<> &b = *context.builder;
  WarpValue value;
  if (meaning.offset < offsetof(Registers, ntid)) {
    // An axis takes four bytes there, and 32 lanes of them here.
    value.parts.push_back(b.CreateAlignedLoad(
        FixedVectorType::get(type, kLanes),
        b.CreatePtrAdd(context.frame, b.getInt64(kLanes * meaning.offset)),
        Align(64)));
    return value;
  }
  if (meaning.offset == offsetof(Registers, instructions))
    return std::nullopt;
  SmallVector<Constant *> numbers;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t equal = 1u << lane, less = equal - 1;
    const uint32_t number =
        meaning.offset == offsetof(Registers, lane)            ? lane
        : meaning.offset == offsetof(Registers, laneEqual)     ? equal
        : meaning.offset == offsetof(Registers, laneLess)      ? less
        : meaning.offset == offsetof(Registers, laneLessEqual) ? less | equal
        : meaning.offset == offsetof(Registers, laneGreater)   ? ~(less | equal)
                                                               : ~less;
    numbers.push_back(b.getInt32(number));
  }
  value.parts.push_back(ConstantVector::get(numbers));
  return value;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void WarpCalls::makeMemory(function_ref<Value *(Type *)> make) {
  Type *byte = context.builder->getInt8Ty();
  arguments =
      make(ArrayType::get(byte, kMostArguments * Lanes::kArgumentBytes));
  found = make(ArrayType::get(byte, kLanes * kMostResultBytes));
}

/// A collective of all 32 lanes whose results compiled code has.
bool WarpCalls::pass(ArrayRef<WarpValue> operands) {
  auto *mask = dyn_cast<ConstantInt>(operands[0].parts[0]);
  if (!operands[0].isUniform || !mask || !mask->isMinusOne())
    return false;
  context.call(reinterpret_cast<void *>(passCollective),
               {context.frame, context.lanes});
  return true;
}

/// A shuffle of all lanes whose other operands are constants.
std::optional<WarpValue> WarpCalls::knownShuffle(const Meaning &meaning,
                                                 CallInst &call,
                                                 ArrayRef<WarpValue> operands) {
  IRBuilder<> &b = *context.builder;
  if (meaning.maskIndex != 0 || operands.size() != 4)
    return std::nullopt;
  auto *number = dyn_cast<ConstantInt>(operands[2].parts[0]);
  auto *clamp = dyn_cast<ConstantInt>(operands[3].parts[0]);
  if (!number || !clamp)
    return std::nullopt;
  // The emulator's own function says which lane each reads.
  uint32_t words[4][64] = {}, results[64] = {};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    words[0][lane] = ~0u;
    words[1][lane] = lane;
    words[2][lane] = uint32_t(number->getZExtValue());
    words[3][lane] = uint32_t(clamp->getZExtValue());
  }
  const Lanes all(reinterpret_cast<const char *>(words),
                  reinterpret_cast<char *>(results), ~0u);
  if (!meaning.compute(all).empty() || !pass(operands))
    return std::nullopt;
  SmallVector<int> from(results, results + kLanes);
  WarpValue value;
  value.isUniform = operands[1].isUniform || all_equal(from);
  if (operands[1].isUniform)
    value.parts.push_back(operands[1].parts[0]);
  else if (value.isUniform)
    value.parts.push_back(
        b.CreateExtractElement(operands[1].parts[0], uint64_t(from[0])));
  else
    value.parts.push_back(b.CreateShuffleVector(operands[1].parts[0], from));
  if (!call.getType()->isStructTy())
    return value;
  // Whether the lane was in range lies behind the values.
  auto *inRange = reinterpret_cast<const uint8_t *>(results + kLanes);
  SmallVector<Constant *> flags;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    flags.push_back(b.getInt1(inRange[lane]));
  value.parts[0] = vectorPart(b, value, 0);
  value.isUniform = false;
  value.parts.push_back(ConstantVector::get(flags));
  return value;
}

bool WarpCalls::storeArguments(CallInst &call, ArrayRef<WarpValue> operands) {
  IRBuilder<> &b = *context.builder;
  if (operands.size() > kMostArguments)
    return false;
  for (auto [index, operand] : enumerate(operands)) {
    Type *type = call.getArgOperand(unsigned(index))->getType();
    Type *part = partTypes(type)[0];
    const unsigned count = unsigned(operand.parts.size());
    const unsigned bits = part->getPrimitiveSizeInBits();
    if (bits * count > 64 || (bits == 1 && count > 1))
      return false;
    Type *word = b.getIntNTy(bits == 1 ? 8 : bits * count);
    Type *words = FixedVectorType::get(word, kLanes);
    Value *all = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      Value *piece =
          b.CreateBitCast(vectorPart(b, operand, i),
                          FixedVectorType::get(b.getIntNTy(bits), kLanes));
      piece = b.CreateShl(b.CreateZExt(piece, words),
                          ConstantInt::get(words, uint64_t(i) * bits));
      all = all ? b.CreateOr(all, piece) : piece;
    }
    b.CreateAlignedStore(
        all,
        b.CreatePtrAdd(arguments, b.getInt64(index * Lanes::kArgumentBytes)),
        Align(64));
  }
  return true;
}

std::optional<WarpValue> WarpCalls::results(CallInst &call) {
  IRBuilder<> &b = *context.builder;
  WarpValue value;
  auto *structure = dyn_cast<StructType>(call.getType());
  const SmallVector<Type *, 4> types = partTypes(call.getType());
  // Members are whole parts.
  if (structure ? structure->getNumElements() != types.size()
                : types.size() != 1)
    return std::nullopt;
  const DataLayout &layout = call.getDataLayout();
  for (unsigned i = 0; i < types.size(); ++i) {
    const uint64_t offset =
        structure ? layout.getStructLayout(structure)->getElementOffset(i) : 0;
    const bool isFlag = types[i]->isIntegerTy(1);
    auto *vector = FixedVectorType::get(types[i], kLanes);
    Value *from = b.CreatePtrAdd(found, b.getInt64(offset * kLanes));
    value.parts.push_back(
        isFlag ? b.CreateTrunc(b.CreateAlignedLoad(
                                   FixedVectorType::get(b.getInt8Ty(), kLanes),
                                   from, Align(1)),
                               vector)
               : b.CreateAlignedLoad(vector, from, Align(1)));
  }
  return value;
}

std::optional<WarpValue> WarpCalls::collective(const Meaning &meaning,
                                               CallInst &call,
                                               ArrayRef<WarpValue> operands) {
  IRBuilder<> &b = *context.builder;
  if (!meaning.compute && pass(operands))
    return WarpValue();
  if (meaning.compute)
    if (auto known = knownShuffle(meaning, call, operands))
      return known;
  if (!storeArguments(call, operands))
    return std::nullopt;
  context.call(reinterpret_cast<void *>(callCollective),
               {context.frame, hostAddress(b.getContext(), &meaning),
                context.lanes, arguments, found});
  return call.getType()->isVoidTy() ? WarpValue() : results(call);
}

bool WarpCalls::isMine(const CallInst &call) {
  const Meaning *meaning = meaningOf(call);
  return meaning && meaning->kind != Meaning::Same;
}

std::optional<WarpValue> WarpCalls::make(CallInst &call,
                                         ArrayRef<WarpValue> operands) {
  const Meaning &meaning = *meaningOf(call);
  switch (meaning.kind) {
  case Meaning::Register:
    return laneRegister(meaning, call.getType());
  case Meaning::Nothing:
    return WarpValue();
  case Meaning::Collective:
    return collective(meaning, call, operands);
  case Meaning::Barrier: {
    if (!storeArguments(call, operands))
      return std::nullopt;
    Site &site = rewritten.sites.emplace_back();
    site.what = call.getCalledFunction()->getName().drop_front(
        sizeof("llvm.nvvm.") - 1);
    context.call(reinterpret_cast<void *>(callBarrier),
                 {context.frame, hostAddress(call.getContext(), &meaning),
                  hostAddress(call.getContext(), &site), context.lanes,
                  arguments});
    return WarpValue();
  }
  case Meaning::Same:
  case Meaning::Call:
    return std::nullopt;
  }
  return std::nullopt;
}
