//===- Contraction.cpp - multiply-adds of computations --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

void astfe::allowContraction(Operation *op) {
  op->walk([](arith::ArithFastMathInterface fast) {
    // Nothing contracts with casts, and those of the LLVM dialect would keep
    // the flags as an attribute that no translation knows.
    if (isa<CastOpInterface>(fast.getOperation()))
      return;
    arith::FastMathFlags flags = arith::FastMathFlags::contract;
    if (arith::FastMathFlagsAttr old = fast.getFastMathFlagsAttr())
      flags = flags | old.getValue();
    fast->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(fast->getContext(), flags));
  });
}
