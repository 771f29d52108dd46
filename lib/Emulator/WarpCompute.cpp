//===- WarpCompute.cpp - what each lane computes by itself ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpCode.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// Values taken apart
//===----------------------------------------------------------------------===//

static bool addPartTypes(Type *type, SmallVectorImpl<Type *> &parts) {
  constexpr unsigned kMostParts = 64;
  auto addMany = [&](Type *element, uint64_t count) {
    if (count > kMostParts)
      return false;
    for (uint64_t i = 0; i < count; ++i)
      if (!addPartTypes(element, parts))
        return false;
    return parts.size() <= kMostParts;
  };
  if (auto *structure = dyn_cast<StructType>(type))
    return all_of(structure->elements(),
                  [&](Type *element) { return addPartTypes(element, parts); });
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return addMany(vector->getElementType(), vector->getNumElements());
  if (auto *array = dyn_cast<ArrayType>(type))
    return addMany(array->getElementType(), array->getNumElements());
  if (type->isPointerTy())
    type = Type::getInt64Ty(type->getContext());
  const bool isNumber =
      (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) ||
      type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() ||
      type->isDoubleTy();
  parts.push_back(type);
  return isNumber;
}

SmallVector<Type *, 4> emu::partTypes(Type *type) {
  SmallVector<Type *, 4> parts;
  if (!addPartTypes(type, parts))
    parts.clear();
  return parts;
}

Value *emu::vectorPart(IRBuilderBase &builder, const WarpValue &value,
                       unsigned part) {
  return value.isUniform ? builder.CreateVectorSplat(kLanes, value.parts[part])
                         : value.parts[part];
}

namespace {

/// One instruction.
class Computation {
public:
  Computation(IRBuilderBase &builder, Instruction &instruction,
              ArrayRef<WarpValue> operands, Value *active)
      : builder(builder), instruction(instruction), operands(operands),
        active(active) {
    result.isUniform = all_of(
        operands, [](const WarpValue &operand) { return operand.isUniform; });
  }

  std::optional<WarpValue> run();

private:
  Value *part(unsigned operand, unsigned number);
  Type *typeOf(Type *part) {
    return result.isUniform ? part : FixedVectorType::get(part, kLanes);
  }
  Constant *number(Type *part, uint64_t value) {
    return ConstantInt::get(typeOf(part), value);
  }
  bool forEachPart(function_ref<Value *(unsigned part)> compute);
  Value *safeDivision(BinaryOperator &division, unsigned part);
  bool binary(BinaryOperator &operation);
  bool cast(CastInst &cast);
  bool repack(Type *from, Type *to);
  bool address(GetElementPtrInst &address);
  bool element();
  bool shuffle(ShuffleVectorInst &shuffle);
  bool member();
  bool intrinsic(IntrinsicInst &call);
  bool elementwise(Intrinsic::ID id, const CallInst &call);
  bool dispatch();

  IRBuilderBase &builder;
  Instruction &instruction;
  ArrayRef<WarpValue> operands;
  Value *active;
  WarpValue result;
};

} // namespace

/// A condition of one part decides for all.
Value *Computation::part(unsigned operand, unsigned number) {
  const WarpValue &value = operands[operand];
  number = value.parts.size() == 1 ? 0 : number;
  return result.isUniform ? value.parts[number]
                          : vectorPart(builder, value, number);
}

bool Computation::forEachPart(function_ref<Value *(unsigned part)> compute) {
  for (unsigned i = 0; i < partTypes(instruction.getType()).size(); ++i) {
    Value *value = compute(i);
    // Lanes that do not run compute as well, from anything.
    if (auto *made = dyn_cast<Instruction>(value);
        made && made->getOpcode() == instruction.getOpcode()) {
      made->copyIRFlags(&instruction);
      made->dropPoisonGeneratingFlags();
    }
    result.parts.push_back(value);
  }
  return true;
}

/// Lanes that do not run divide 0 by 1.
Value *Computation::safeDivision(BinaryOperator &division, unsigned part) {
  Value *dividend = this->part(0, part), *divisor = this->part(1, part);
  if (!result.isUniform) {
    Type *type = dividend->getType();
    dividend =
        builder.CreateSelect(active, dividend, ConstantInt::get(type, 0));
    divisor = builder.CreateSelect(active, divisor, ConstantInt::get(type, 1));
  }
  return builder.CreateBinOp(division.getOpcode(), dividend, divisor);
}

bool Computation::binary(BinaryOperator &operation) {
  return forEachPart([&](unsigned i) {
    return operation.isIntDivRem()
               ? safeDivision(operation, i)
               : builder.CreateBinOp(operation.getOpcode(), part(0, i),
                                     part(1, i));
  });
}

/// Other parts of the same bits.
bool Computation::repack(Type *from, Type *to) {
  const SmallVector<Type *, 4> have = partTypes(from), want = partTypes(to);
  const unsigned haveBits = have[0]->getPrimitiveSizeInBits(),
                 wantBits = want[0]->getPrimitiveSizeInBits();
  auto bitsOf = [&](unsigned i) {
    return builder.CreateBitCast(part(0, i),
                                 typeOf(builder.getIntNTy(haveBits)));
  };
  Type *word = builder.getIntNTy(wantBits);
  for (unsigned i = 0; i < want.size(); ++i) {
    Value *bits = nullptr;
    if (wantBits < haveBits) {
      const unsigned each = haveBits / wantBits;
      bits = builder.CreateTrunc(
          builder.CreateLShr(bitsOf(i / each),
                             number(builder.getIntNTy(haveBits),
                                    uint64_t(i % each) * wantBits)),
          typeOf(word));
    } else {
      const unsigned each = wantBits / haveBits;
      for (unsigned k = 0; k < each; ++k) {
        Value *piece = builder.CreateShl(
            builder.CreateZExt(bitsOf(i * each + k), typeOf(word)),
            number(word, uint64_t(k) * haveBits));
        bits = bits ? builder.CreateOr(bits, piece) : piece;
      }
    }
    result.parts.push_back(builder.CreateBitCast(bits, typeOf(want[i])));
  }
  return true;
}

bool Computation::cast(CastInst &cast) {
  const SmallVector<Type *, 4> types = partTypes(cast.getDestTy());
  if (isa<BitCastInst>(cast))
    return repack(cast.getSrcTy(), cast.getDestTy());
  return forEachPart([&](unsigned i) -> Value * {
    Value *value = part(0, i);
    // Pointers are numbers already.
    if (isa<AddrSpaceCastInst>(cast))
      return value;
    if (isa<PtrToIntInst, IntToPtrInst>(cast))
      return builder.CreateZExtOrTrunc(value, typeOf(types[i]));
    return builder.CreateCast(cast.getOpcode(), value, typeOf(types[i]));
  });
}

bool Computation::address(GetElementPtrInst &address) {
  if (address.getType()->isVectorTy())
    return false;
  const DataLayout &layout = address.getDataLayout();
  Type *i64 = builder.getInt64Ty();
  Value *sum = part(0, 0);
  unsigned operand = 1;
  for (auto step = gep_type_begin(address), end = gep_type_end(address);
       step != end; ++step, ++operand) {
    if (StructType *structure = step.getStructTypeOrNull()) {
      const auto index =
          llvm::cast<ConstantInt>(step.getOperand())->getZExtValue();
      const uint64_t offset =
          layout.getStructLayout(structure)->getElementOffset(index);
      sum = builder.CreateAdd(sum, number(i64, offset));
      continue;
    }
    Value *index = builder.CreateSExtOrTrunc(part(operand, 0), typeOf(i64));
    const uint64_t stride = step.getSequentialElementStride(layout);
    sum = builder.CreateAdd(sum, builder.CreateMul(index, number(i64, stride)));
  }
  result.parts.push_back(sum);
  return true;
}

/// An element of a vector is read, or replaced.
bool Computation::element() {
  const bool inserts = isa<InsertElementInst>(instruction);
  auto *index = dyn_cast<ConstantInt>(instruction.getOperand(inserts ? 2 : 1));
  if (!index || index->getZExtValue() >= operands[0].parts.size())
    return false;
  const auto at = unsigned(index->getZExtValue());
  if (!inserts) {
    result.parts.push_back(part(0, at));
    return true;
  }
  for (unsigned i = 0; i < operands[0].parts.size(); ++i)
    result.parts.push_back(i == at ? part(1, 0) : part(0, i));
  return true;
}

bool Computation::shuffle(ShuffleVectorInst &shuffle) {
  const int count = int(operands[0].parts.size());
  Type *element = partTypes(shuffle.getType())[0];
  for (int from : shuffle.getShuffleMask())
    result.parts.push_back(from < 0       ? PoisonValue::get(typeOf(element))
                           : from < count ? part(0, unsigned(from))
                                          : part(1, unsigned(from - count)));
  return true;
}

/// A member of a struct is read, or replaced.
bool Computation::member() {
  auto *extract = dyn_cast<ExtractValueInst>(&instruction);
  auto *insert = dyn_cast<InsertValueInst>(&instruction);
  Type *type = instruction.getOperand(0)->getType();
  unsigned begin = 0;
  for (unsigned index :
       extract ? extract->getIndices() : insert->getIndices()) {
    for (unsigned before = 0; before < index; ++before)
      begin += unsigned(
          partTypes(ExtractValueInst::getIndexedType(type, before)).size());
    type = ExtractValueInst::getIndexedType(type, index);
  }
  const unsigned end = begin + unsigned(partTypes(type).size());
  // With one part in all, part() takes it.
  if (extract)
    for (unsigned i = begin; i < end; ++i)
      result.parts.push_back(part(0, i));
  else
    for (unsigned i = 0; i < operands[0].parts.size(); ++i)
      result.parts.push_back(i >= begin && i < end ? part(1, i - begin)
                                                   : part(0, i));
  return true;
}

bool Computation::elementwise(Intrinsic::ID id, const CallInst &call) {
  if (!isTriviallyVectorizable(id))
    return false;
  const SmallVector<Type *, 4> types = partTypes(call.getType());
  for (unsigned i = 0; i < types.size(); ++i) {
    SmallVector<Value *> values;
    SmallVector<Type *> overloads;
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, /*TTI=*/nullptr))
      overloads.push_back(typeOf(types[i]));
    for (unsigned operand = 0; operand < call.arg_size(); ++operand) {
      const bool isScalar =
          isVectorIntrinsicWithScalarOpAtArg(id, operand, /*TTI=*/nullptr);
      if (isScalar && !operands[operand].isUniform)
        return false;
      values.push_back(isScalar ? operands[operand].parts[0]
                                : part(operand, i));
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, int(operand),
                                                 /*TTI=*/nullptr))
        overloads.push_back(values.back()->getType());
    }
    auto *made = builder.CreateIntrinsic(id, overloads, values);
    if (isa<FPMathOperator>(made) && isa<FPMathOperator>(call))
      made->copyFastMathFlags(&call);
    made->dropPoisonGeneratingFlags();
    result.parts.push_back(made);
  }
  return true;
}

bool Computation::intrinsic(IntrinsicInst &call) {
  const StringRef name = call.getCalledFunction()->getName();
  if (!name.starts_with("llvm.nvvm."))
    return elementwise(call.getIntrinsicID(), call);
  const Meaning *meaning = findMeaning(name.str());
  return meaning && meaning->kind == Meaning::Same &&
         elementwise(Intrinsic::lookupIntrinsicID(meaning->same), call);
}

bool Computation::dispatch() {
  if (auto *operation = dyn_cast<BinaryOperator>(&instruction))
    return binary(*operation);
  if (auto *negation = dyn_cast<UnaryOperator>(&instruction))
    return forEachPart([&](unsigned i) {
      return builder.CreateUnOp(negation->getOpcode(), part(0, i));
    });
  if (auto *compare = dyn_cast<CmpInst>(&instruction))
    return forEachPart([&](unsigned i) {
      return builder.CreateCmp(compare->getPredicate(), part(0, i), part(1, i));
    });
  if (isa<SelectInst>(instruction))
    return forEachPart([&](unsigned i) {
      return builder.CreateSelect(part(0, i), part(1, i), part(2, i));
    });
  if (isa<FreezeInst>(instruction))
    return forEachPart(
        [&](unsigned i) { return builder.CreateFreeze(part(0, i)); });
  if (auto *conversion = dyn_cast<CastInst>(&instruction))
    return cast(*conversion);
  if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
    return address(*gep);
  if (isa<ExtractElementInst, InsertElementInst>(instruction))
    return element();
  if (auto *vectors = dyn_cast<ShuffleVectorInst>(&instruction))
    return shuffle(*vectors);
  if (isa<ExtractValueInst, InsertValueInst>(instruction))
    return member();
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsic(*call);
  return false;
}

std::optional<WarpValue> Computation::run() {
  if (partTypes(instruction.getType()).empty() || !dispatch())
    return std::nullopt;
  return std::move(result);
}

std::optional<WarpValue> emu::computeForWarp(IRBuilderBase &builder,
                                             Instruction &instruction,
                                             ArrayRef<WarpValue> operands,
                                             Value *active) {
  return Computation(builder, instruction, operands, active).run();
}
