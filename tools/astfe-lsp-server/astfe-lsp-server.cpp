//===- astfe-lsp-server.cpp - completion and errors in an editor ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  astfe::registerAllDialects(registry);
  astfe::registerAllExtensions(registry);
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
