//===- FusedBufferize.cpp - astfe.fused on buffers ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of the region bufferize first, each on buffers of the arguments'
// tensors; then the op itself gets buffers, which take the arguments' places.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEBufferize.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace astfe;
using namespace mlir::bufferization;

/// The buffer of an argument or local: locals are never seen from outside.
static MemRefType contiguous(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Lets the region, which is on buffers already but for its arguments, work on
/// `buffer` in the place of `argument`.
static void bindArgument(RewriterBase &rewriter, BlockArgument argument,
                         Value buffer) {
  if (!isa<RankedTensorType>(argument.getType()))
    return;
  argument.setType(buffer.getType());
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (auto toBuffer = dyn_cast<ToBufferOp>(user))
      rewriter.replaceOp(toBuffer, argument);
}

namespace {
struct FusedModel
    : DstBufferizableOpInterfaceExternalModel<FusedModel, FusedOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto fused = cast<FusedOp>(op);
    for (auto [i, output] : llvm::enumerate(fused.getOutputsMutable()))
      if (&output == &operand)
        return !fused.overwrites(i);
    return true;
  }

  bool isWritable(Operation *op, Value value, const AnalysisState &) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return !argument ||
           llvm::is_contained(cast<FusedOp>(op).getOutputArguments(), argument);
  }

  FailureOr<BufferLikeType>
  getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                const BufferizationState &state,
                SmallVector<Value> &invocationStack) const {
    if (isa<BlockArgument>(value))
      return cast<BufferLikeType>(contiguous(value.getType()));
    return bufferization::detail::defaultGetBufferType(value, options, state,
                                                       invocationStack);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto fused = cast<FusedOp>(op);
    if (fused.hasBufferSemantics())
      return success();
    SmallVector<Value> operands;
    for (Value operand : fused.getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    for (auto [argument, operand] :
         llvm::zip(fused.getBody().getArguments(), operands))
      bindArgument(rewriter, argument, operand);
    ValueRange all = operands;
    ValueRange outputs = all.drop_front(1 + fused.getInputs().size());
    auto onBuffers =
        FusedOp::create(rewriter, op->getLoc(), TypeRange(), fused.getPattern(),
                        all.slice(1, fused.getInputs().size()), outputs);
    onBuffers->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    onBuffers.getBody().takeBody(fused.getBody());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

/// A returned value lies in the output's buffer already.
struct ReturnModel
    : BufferizableOpInterface::ExternalModel<ReturnModel, ReturnOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  bool mustBufferizeInPlace(Operation *, OpOperand &,
                            const AnalysisState &) const {
    return true;
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    rewriter.replaceOpWithNewOp<ReturnOp>(op, ValueRange());
    return success();
  }
};

struct LocalModel
    : BufferizableOpInterface::ExternalModel<LocalModel, LocalOp> {
  bool resultBufferizesToMemoryWrite(Operation *, OpResult,
                                     const AnalysisState &) const {
    return false; // It holds nothing.
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  AliasingOpOperandList getAliasingOpOperands(Operation *, Value,
                                              const AnalysisState &) const {
    return {};
  }
  FailureOr<BufferLikeType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    return cast<BufferLikeType>(contiguous(value.getType()));
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    auto local = cast<LocalOp>(op);
    if (isa<MemRefType>(local.getResult().getType()))
      return success();
    replaceOpWithNewBufferizedOp<LocalOp>(
        rewriter, op, contiguous(local.getResult().getType()),
        local.getPattern(), local.getSizes(), local.getMap());
    return success();
  }
};
} // namespace

void astfe::registerFusedBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ASTFEDialect *) {
    FusedOp::attachInterface<FusedModel>(*context);
    ReturnOp::attachInterface<ReturnModel>(*context);
    LocalOp::attachInterface<LocalModel>(*context);
  });
}
