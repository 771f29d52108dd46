//===- ConvertASTFEToGPU.cpp - the pass -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Conversion/ASTFEToGPU.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Conversion/ReportExtents.h"
#include "ASTFE/Dialect/PackAttrs.h"
#include "BrickKernel.h"
#include "ChainKernel.h"
#include "Launch.h"
#include "TruthOperands.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace astfe::gpukernel;

namespace astfe {

#define GEN_PASS_DEF_CONVERTASTFETOGPUPASS
#include "ASTFE/Conversion/Passes.h.inc"

/// A name for the kernels of `op` that no symbol of the module has.
static std::string moduleName(Operation *op, SymbolTable &symbols) {
  auto function = op->getParentOfType<func::FuncOp>();
  std::string base = (function ? function.getName() : "astfe").str();
  std::string name = base + "_kernels";
  for (int64_t i = 1; symbols.lookup(name); ++i)
    name = base + "_kernels_" + std::to_string(i);
  return name;
}

/// Kernels take buffers without strides: a slice of host memory is copied to
/// one and, if it is an output, back.
static void copySlices(RewriterBase &rewriter, DestinationStyleOpInterface op) {
  for (OpOperand &operand : op->getOpOperands().drop_front()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || type.getLayout().isIdentity())
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    b.setInsertionPoint(op);
    Value slice = operand.get();
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(memref::DimOp::create(b, slice, i));
    auto whole = MemRefType::get(type.getShape(), type.getElementType());
    Value copy = memref::AllocOp::create(b, whole, sizes);
    memref::CopyOp::create(b, slice, copy);
    operand.set(copy);
    b.setInsertionPointAfter(op);
    if (op.isDpsInit(&operand))
      memref::CopyOp::create(b, copy, slice);
    memref::DeallocOp::create(b, copy);
  }
}

LogicalResult convertComputeToGPU(RewriterBase &rewriter, ComputeOp op,
                                  const GPUKernelOptions &options) {
  if (!options.deviceOperands)
    copySlices(rewriter, op);
  op = readTruthsAsBytes(rewriter, op);
  auto module = op->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  std::string name = moduleName(op, symbols);
  if (op.getPatternRank() != 2) {
    FailureOr<BrickPlan> plan = planBrickKernel(op);
    if (failed(plan))
      return failure();
    rewriter.setInsertionPointToEnd(module.getBody());
    gpu::GPUModuleOp kernels =
        emitBrickKernels(rewriter, *plan, name, options.deviceOperands);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    rewriter.getUnitAttr());
    lowerBricksToLaunch(rewriter, *plan, kernels, options.deviceOperands);
    return success();
  }
  FailureOr<KernelPlan> plan = planKernel(op, options);
  if (failed(plan) || failed(checkClasses(op)))
    return failure();
  rewriter.setInsertionPointToEnd(module.getBody());
  gpu::GPUModuleOp kernels = emitKernels(rewriter, *plan, name);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  rewriter.getUnitAttr());
  lowerToLaunch(rewriter, *plan, kernels, options.deviceOperands);
  return success();
}

/// A kernel reads the arguments of the chain's region: these have the types of
/// what was copied.
static LogicalResult convertChainToGPU(RewriterBase &rewriter, FusedOp op,
                                       const GPUKernelOptions &options) {
  const auto heads = ChainHeads::of(op, !options.deviceOperands);
  if (!options.deviceOperands && !heads) {
    copySlices(rewriter, op);
    for (auto [argument, operand] :
         llvm::zip(op.getBody().getArguments(), op.getOperands()))
      argument.setType(operand.getType());
  }
  FailureOr<ChainKernelPlans> plans = planChainKernels(op, heads, options);
  if (failed(plans))
    return failure();
  auto module = op->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  rewriter.setInsertionPointToEnd(module.getBody());
  gpu::GPUModuleOp kernels =
      emitChainKernels(rewriter, *plans, moduleName(op, symbols));
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  rewriter.getUnitAttr());
  remark::passed(op.getLoc(), remarkOf(op, "convert-astfe-to-gpu", "fused"))
      << remark::metric("sweeps", int64_t(plans->front().chain.sweeps));
  lowerChainToLaunch(rewriter, *plans, kernels, options.deviceOperands);
  return success();
}

/// The number of computations and chains that were converted.
static FailureOr<unsigned> convertComputes(ModuleOp module,
                                           const GPUKernelOptions &options) {
  SmallVector<Operation *> computes;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ComputeOp, FusedOp>(op))
      return WalkResult::advance();
    computes.push_back(op);
    return WalkResult::skip();
  });
  IRRewriter rewriter(module.getContext());
  for (Operation *op : computes) {
    auto fused = dyn_cast<FusedOp>(op);
    if (failed(fused ? convertChainToGPU(rewriter, fused, options)
                     : convertComputeToGPU(rewriter, cast<ComputeOp>(op),
                                           options)))
      return failure();
  }
  return unsigned(computes.size());
}

namespace {

struct ConvertASTFEToGPUPass
    : CheckedOptions<impl::ConvertASTFEToGPUPassBase<ConvertASTFEToGPUPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    if (llvm::is_contained({32, 64, 128}, columnTile))
      return core::Success();
    return optionError("column-tile", "32, 64 or 128",
                       std::to_string(columnTile));
  }

  void runOnOperation() override {
    getOperation().walk([](PackOp pack) {
      BlockedType type = pack.getResult().getType();
      if (type.getShape().size() != 2 && !type.getLayout().isView())
        pack->setAttr(kForGPUAttr, UnitAttr::get(pack.getContext()));
    });
    if (failed(lowerInspectors(getOperation())))
      return signalPassFailure();
    reportAsserted(getOperation());
    GPUKernelOptions options{columnTile, deviceOperands, longRows};
    FailureOr<unsigned> converted = convertComputes(getOperation(), options);
    if (failed(converted))
      return signalPassFailure();
    numLowered += *converted;
    foldHandles(getOperation());
  }
};

} // namespace
} // namespace astfe
