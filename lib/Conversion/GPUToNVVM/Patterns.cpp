//===- Patterns.cpp - what a gpu.module needs to become NVVM --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/GPUToNVVM.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

using namespace mlir;

namespace astfe {

/// Lanes of a warp.
static constexpr unsigned kSubgroup = 32;

void populateNVVMPreparationPatterns(RewritePatternSet &patterns) {
  populateGpuRewritePatterns(patterns);
  populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kSubgroup);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceDecompositionPatterns(
      patterns);
  vector::populateVectorExtractStridedSliceToExtractInsertChainPatterns(
      patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  populateMathFunctionPatterns(patterns);
}

void configureNVVMTypeConverter(LLVMTypeConverter &converter) {
  configureGpuToNVVMTypeConverter(converter);
  nvgpu::populateCommonGPUTypeAndAttributeConversions(converter);
  converter.addConversion([&](nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
}

template <typename Op, typename Target>
using Direct =
    VectorConvertToLLVMPattern<Op, Target, arith::AttrConvertFastMathToLLVM>;

/// What PTX has instructions for, before upstream's calls of libdevice.
static void populateDirectMath(const LLVMTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<
      Direct<math::AbsFOp, LLVM::FAbsOp>, Direct<math::CeilOp, LLVM::FCeilOp>,
      Direct<math::CopySignOp, LLVM::CopySignOp>,
      // ex2.approx.f32; f64 has no such instruction and was refused.
      Direct<math::Exp2Op, LLVM::Exp2Op>, Direct<math::FloorOp, LLVM::FFloorOp>,
      Direct<math::FmaOp, LLVM::FMAOp>,
      Direct<math::RoundEvenOp, LLVM::RoundEvenOp>,
      Direct<math::SqrtOp, LLVM::SqrtOp>>(converter,
                                          /*benefit=*/2);
}

/// Combiners without an instruction, which become a loop around a compare and
/// swap. Upstream's order is acquire and release, whose loop fences the whole
/// system at each turn; sums need atomicity alone, and the kernel's end orders
/// them for all others.
static std::optional<LLVM::AtomicBinOp> loopOf(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::maximumf:
    return LLVM::AtomicBinOp::fmaximum;
  case arith::AtomicRMWKind::minimumf:
    return LLVM::AtomicBinOp::fminimum;
  case arith::AtomicRMWKind::maxnumf:
    return LLVM::AtomicBinOp::fmax;
  case arith::AtomicRMWKind::minnumf:
    return LLVM::AtomicBinOp::fmin;
  default:
    return std::nullopt;
  }
}

namespace {
struct RelaxedAtomic : ConvertOpToLLVMPattern<memref::AtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<LLVM::AtomicBinOp> kind = loopOf(op.getKind());
    if (!kind)
      return failure();
    Value address =
        getStridedElementPtr(rewriter, op.getLoc(), op.getMemRefType(),
                             adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(
        op, *kind, address, adaptor.getValue(), LLVM::AtomicOrdering::monotonic,
        "device");
    return success();
  }
};
} // namespace

void populateNVVMPatterns(const LLVMTypeConverter &converter,
                          RewritePatternSet &patterns) {
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateGpuWMMAToNVVMConversionPatterns(converter, patterns);
  populateGpuSubgroupReduceOpLoweringPattern(converter, patterns);
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  patterns.add<RelaxedAtomic>(converter, /*benefit=*/2);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateDirectMath(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
}

} // namespace astfe
