//===- ASTFEBufferize.cpp - astfe.compute on buffers ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An external model, so that the dialect itself needs no bufferization. Sparse
// operands, which profile, pack, values and unpack have, are lowered before
// One-Shot bufferization runs: upstream's skips sparse tensors.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEBufferize.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace astfe;
using namespace mlir::bufferization;

namespace {
struct ComputeModel
    : DstBufferizableOpInterfaceExternalModel<ComputeModel, ComputeOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto compute = cast<ComputeOp>(op);
    return !compute.getOverwrite() || !compute.isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto compute = cast<ComputeOp>(op);
    if (compute.hasBufferSemantics())
      return success();
    SmallVector<Value> inputs, outputs;
    auto toBuffers = [&](OperandRange tensors, SmallVector<Value> &buffers) {
      for (Value tensor : tensors) {
        FailureOr<Value> buffer = getBuffer(rewriter, tensor, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };
    if (failed(toBuffers(compute.getInputs(), inputs)) ||
        failed(toBuffers(compute.getOutputs(), outputs)))
      return failure();
    auto onBuffers = ComputeOp::create(
        rewriter, op->getLoc(), TypeRange(), compute.getPattern(), inputs,
        outputs, compute.getMaps(), compute.getKernelAttr(),
        compute.getOverwrite());
    onBuffers->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    onBuffers.getBody().takeBody(compute.getBody());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};
} // namespace

void astfe::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ASTFEDialect *) {
    ComputeOp::attachInterface<ComputeModel>(*context);
  });
}
