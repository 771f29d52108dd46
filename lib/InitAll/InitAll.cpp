//===- InitAll.cpp - what a tool registers --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/InitAll.h"
#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Dialect/ASTFEBufferize.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Pipelines/Passes.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Pipelines/ToPTX.h"
#include "ASTFE/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

void astfe::registerDialect(mlir::DialectRegistry &registry) {
  registry.insert<ASTFEDialect>();
  registerBufferization(registry);
  registerFusedBufferization(registry);
}

void astfe::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registerDialect(registry);
}

void astfe::registerAllExtensions(mlir::DialectRegistry &registry) {
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
}

void astfe::registerAllPasses() {
  registerASTFETransformsPasses();
  registerASTFEConversionPasses();
  registerASTFEPipelinesPasses();
}

void astfe::registerAllPipelines() {
  registerHostPipelines();
  registerGPUPipelines();
}

void astfe::registerEverything(mlir::DialectRegistry &registry) {
  mlir::registerAllPasses();
  astfe::registerAllPasses();
  registerAllPipelines();
  astfe::registerAllDialects(registry);
  astfe::registerAllExtensions(registry);
}
