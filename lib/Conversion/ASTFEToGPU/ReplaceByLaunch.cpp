//===- ReplaceByLaunch.cpp - an op becomes launches on its buffers --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Outputs.h"
#include "Launch.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;

namespace astfe::gpukernel {

void replaceByLaunch(RewriterBase &rewriter, ComputeOp op,
                     function_ref<void(Values, Value)> launch) {
  copyReusedOutputs(rewriter, op);
  rewriter.setInsertionPoint(op);
  auto buffer = [&](Value value, bool readOnly) -> Value {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value;
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    return bufferization::ToBufferOp::create(rewriter, op.getLoc(), memref,
                                             value, readOnly);
  };
  Values inputs;
  for (Value input : op.getInputs())
    inputs.push_back(buffer(input, /*readOnly=*/true));
  Value output = buffer(op.getOutputs()[0], /*readOnly=*/false);
  launch(std::move(inputs), output);
  if (op.getNumResults() == 0)
    return rewriter.eraseOp(op);
  rewriter.replaceOp(
      op, resultTensor(rewriter, op.getLoc(), output, op.getOutputs()[0]));
}

} // namespace astfe::gpukernel
