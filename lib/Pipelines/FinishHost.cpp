//===- FinishHost.cpp - host loops to the LLVM dialect --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Pipelines/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/Pipelines/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {
#define GEN_PASS_DEF_FINISHHOSTPASS
#include "ASTFE/Pipelines/Passes.h.inc"

//===----------------------------------------------------------------------===//
// What is left
//===----------------------------------------------------------------------===//

/// Ops that the short way has a lowering for.
static bool isPlain(Operation *op) {
  if (isa<memref::AllocOp, memref::AllocaOp, memref::AllocaScopeOp,
          memref::AllocaScopeReturnOp, memref::AssumeAlignmentOp,
          memref::CastOp, memref::DeallocOp, memref::DimOp, memref::GetGlobalOp,
          memref::GlobalOp, memref::LoadOp, memref::PrefetchOp, memref::StoreOp,
          bufferization::ToBufferOp, bufferization::ToTensorOp,
          bufferization::DeallocTensorOp, math::AbsFOp, math::CtPopOp,
          math::FmaOp, math::SqrtOp, ModuleOp, UnrealizedConversionCastOp>(op))
    return true;
  Dialect *dialect = op->getDialect();
  return isa_and_nonnull<arith::ArithDialect, cf::ControlFlowDialect,
                         func::FuncDialect, LLVM::LLVMDialect,
                         omp::OpenMPDialect, scf::SCFDialect, ub::UBDialect,
                         vector::VectorDialect>(dialect);
}

static bool isSparseOrComplex(Type type) {
  return getSparseTensorEncoding(type) ||
         isa<ComplexType>(getElementTypeOrSelf(type));
}

static bool isPlainModule(ModuleOp module) {
  auto result = module.walk([](Operation *op) {
    bool plain = isPlain(op) &&
                 llvm::none_of(op->getResultTypes(), isSparseOrComplex) &&
                 llvm::none_of(op->getOperandTypes(), isSparseOrComplex);
    return plain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

static void buildShortWay(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowUnknownOps = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Removes the scopes that convert-scf-to-openmp leaves, which must hold a
  // single block. What another round would find, LLVM finds.
  GreedyRewriteConfig once;
  once.setMaxIterations(1).setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass(once));
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.reassociateFPReductions = true;
  vectors.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

static void buildUpstream(OpPassManager &pm) {
  SparsifierOptions upstream;
  upstream.enableRuntimeLibrary = false;
  upstream.reassociateFPReductions = true;
  upstream.x86Vector = true;
  buildSparsifier(pm, upstream);
}

namespace {
struct FinishHostPass : impl::FinishHostPassBase<FinishHostPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    for (auto build : {buildShortWay, buildUpstream}) {
      OpPassManager pm(ModuleOp::getOperationName());
      build(pm);
      pm.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    OpPassManager pm(ModuleOp::getOperationName());
    if (isPlainModule(getOperation())) {
      buildShortWay(pm);
    } else {
      // Upstream makes loops of what is left.
      getOperation()->removeAttr(kVectorizedAttr);
      buildUpstream(pm);
    }
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace astfe
