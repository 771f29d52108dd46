//===- PlainModule.cpp - modules for the short way ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainModule.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

/// Ops that the short way has a lowering for.
static bool isPlain(Operation *op) {
  if (isa<memref::AllocOp, memref::AllocaOp, memref::AllocaScopeOp,
          memref::AllocaScopeReturnOp, memref::AssumeAlignmentOp,
          memref::AtomicRMWOp, memref::CastOp, memref::DeallocOp, memref::DimOp,
          memref::ExtractAlignedPointerAsIndexOp,
          memref::ExtractStridedMetadataOp, memref::GetGlobalOp,
          memref::GlobalOp, memref::LoadOp, memref::PrefetchOp,
          memref::ReinterpretCastOp, memref::StoreOp, memref::TransposeOp,
          memref::ViewOp, bufferization::ToBufferOp, bufferization::ToTensorOp,
          bufferization::DeallocTensorOp, math::AbsFOp, math::CtPopOp,
          math::FmaOp, math::SqrtOp, ModuleOp, UnrealizedConversionCastOp>(op))
    return true;
  Dialect *dialect = op->getDialect();
  return isa_and_nonnull<ASTFEDialect, arith::ArithDialect,
                         cf::ControlFlowDialect, func::FuncDialect,
                         LLVM::LLVMDialect, omp::OpenMPDialect, scf::SCFDialect,
                         ub::UBDialect, vector::VectorDialect>(dialect);
}

static bool isSparseOrComplex(Type type) {
  return getSparseTensorEncoding(type) ||
         isa<ComplexType>(getElementTypeOrSelf(type));
}

bool isPlainModule(ModuleOp module) {
  auto result = module.walk([](Operation *op) {
    bool plain = isPlain(op) &&
                 llvm::none_of(op->getResultTypes(), isSparseOrComplex) &&
                 llvm::none_of(op->getOperandTypes(), isSparseOrComplex);
    return plain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

} // namespace astfe
