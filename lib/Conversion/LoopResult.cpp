//===- LoopResult.cpp - results that stay in their buffer
//--------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopResult.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

Value astfe::resultTensor(OpBuilder &b, Location loc, Value buffer,
                          Value init) {
  Value result =
      bufferization::ToTensorOp::create(b, loc, init.getType(), buffer,
                                        /*restrict=*/true, /*writable=*/true);
  Operation *parent = b.getInsertionBlock()->getParentOp();
  if (!isa<LoopLikeOpInterface>(parent) &&
      !parent->getParentOfType<LoopLikeOpInterface>())
    return result;
  return bufferization::MaterializeInDestinationOp::create(
             b, loc, init.getType(), result, init)
      .getResult();
}
