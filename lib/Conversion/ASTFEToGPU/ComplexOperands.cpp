//===- ComplexOperands.cpp - operands of complex numbers ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexOperands.h"
#include "ASTFE/Conversion/ComplexBody.h"
#include "ASTFE/Conversion/ComplexBuffers.h"

using namespace mlir;

namespace astfe::gpukernel {

void readFloats(OpBuilder &builder, const KernelPlan &plan, Values &inputs,
                Value &output) {
  Location loc = plan.op->getLoc();
  Values buffers;
  for (Value input : inputs) {
    const Operand &operand = plan.inputs[buffers.size()];
    if (!isComplex(input)) {
      buffers.push_back(input);
      continue;
    }
    const bool isPairs = operand.part || plan.vectorOfPairs;
    Value floats = floatsOf(builder, loc, input, /*merged=*/!isPairs);
    buffers.append(operand.part ? 2 : 1, floats);
  }
  inputs = std::move(buffers);
  output = floatsOf(builder, loc, output,
                    /*merged=*/!plan.vectorOfPairs && !plan.samples);
}

} // namespace astfe::gpukernel
