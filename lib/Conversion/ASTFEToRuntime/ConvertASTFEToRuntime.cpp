//===- ConvertASTFEToRuntime.cpp - inspectors before bufferization --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_CONVERTASTFETORUNTIMEPASS
#include "ASTFE/Conversion/Passes.h.inc"

namespace {
struct ConvertASTFEToRuntimePass
    : impl::ConvertASTFEToRuntimePassBase<ConvertASTFEToRuntimePass> {
  using ConvertASTFEToRuntimePassBase::ConvertASTFEToRuntimePassBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      numLowered +=
          isa<ProfileOp, PartitionOp, RefineOp, FuseOp, astfe::GraphOp, PackOp,
              IsStoredOp, ValuesOp, UnpackOp, UnpackValuesOp>(op);
    });
    if (failed(lowerInspectors(getOperation())))
      signalPassFailure();
  }
};
} // namespace
} // namespace astfe
