//===- BufferFate.cpp - what becomes of a buffer --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/BufferFate.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace astfe {

/// Where the buffer goes is followed through ops, and neither into functions
/// nor out of blocks.
static BufferFate fateOf(Value buffer, Operation *user) {
  if (user->hasTrait<OpTrait::IsTerminator>())
    return user->hasTrait<OpTrait::ReturnLike>() &&
                   isa<FunctionOpInterface>(user->getParentOp())
               ? BufferFate::Returned
               : BufferFate::Written;
  // Bufferization copies what it would write to otherwise.
  if (auto tensor = dyn_cast<bufferization::ToTensorOp>(user))
    return tensor.getWritable() ? BufferFate::Written : BufferFate::Read;
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects)
    return BufferFate::Written;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  auto mayWrite = [&](Value target) {
    // A buffer of buffers may get this one.
    return !target || target == buffer ||
           isa<BaseMemRefType>(getElementTypeOrSelf(target.getType()));
  };
  for (const MemoryEffects::EffectInstance &effect : found)
    if (isa<MemoryEffects::Write>(effect.getEffect()) &&
        mayWrite(effect.getValue()))
      return BufferFate::Written;
  BufferFate fate = BufferFate::Read;
  for (Value result : user->getResults()) {
    if (isa<BaseMemRefType>(result.getType()))
      fate = std::max(fate, fateOf(result));
    // What touches no memory makes its address a pointer or a number.
    else if (found.empty() && !isa<memref::DimOp, memref::RankOp,
                                   memref::ExtractStridedMetadataOp>(user))
      return BufferFate::Written;
  }
  return fate;
}

BufferFate fateOf(Value buffer) {
  BufferFate fate = BufferFate::Read;
  for (Operation *user : buffer.getUsers())
    fate = std::max(fate, fateOf(buffer, user));
  return fate;
}

} // namespace astfe
