//===- Speculation.cpp - ops that may run where nobody asked --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/Speculation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace astfe {

/// A constant 0 or -1, or a divisor of which nothing is known, may trap. -1
/// counts too: no pass has to fold it before code is made.
static bool hasSafeDivisor(Operation *op) {
  if (isa<arith::RemUIOp>(op))
    return matchPattern(op->getOperand(1), m_IntRangeWithoutZeroU());
  if (isa<arith::RemSIOp, arith::FloorDivSIOp>(op))
    return matchPattern(op->getOperand(1), m_IntRangeWithoutZeroS()) &&
           matchPattern(op->getOperand(1), m_IntRangeWithoutNegOneS());
  return true;
}

bool mayBeSpeculated(Operation *op) {
  auto isUnsafe = [](Operation *inner) {
    return hasSafeDivisor(inner) ? WalkResult::advance()
                                 : WalkResult::interrupt();
  };
  return isSpeculatable(op) && !op->walk(isUnsafe).wasInterrupted();
}

} // namespace astfe
