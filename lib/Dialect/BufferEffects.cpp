//===- BufferEffects.cpp - what computations read and write ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferEffects.h"

using namespace mlir;

namespace astfe {

void addBufferEffects(
    DestinationStyleOpInterface op, function_ref<bool(unsigned)> overwrites,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto isBuffer = [](OpOperand &operand) {
    return isa<MemRefType>(operand.get().getType());
  };
  MutableOperandRange outputs = op.getDpsInitsMutable();
  if (llvm::none_of(outputs, isBuffer))
    return;
  auto add = [&](auto effect, OpOperand &operand) {
    effects.emplace_back(effect, &operand, SideEffects::DefaultResource::get());
  };
  for (OpOperand *input : op.getDpsInputOperands())
    if (isBuffer(*input))
      add(MemoryEffects::Read::get(), *input);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!overwrites(unsigned(i)))
      add(MemoryEffects::Read::get(), output);
    add(MemoryEffects::Write::get(), output);
  }
}

} // namespace astfe
