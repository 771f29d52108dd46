//===- astfe-plugin.cpp - ASTFE inside the stock mlir-opt -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt --load-dialect-plugin=ASTFEPlugin.so
// --load-pass-plugin=ASTFEPlugin.so
//
// The host program has upstream's dialects and passes; this adds ours.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" __attribute__((visibility("default"))) mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ASTFE", "0.1",
          [](mlir::DialectRegistry *registry) {
            astfe::registerDialect(*registry);
          }};
}

extern "C" __attribute__((visibility("default"))) mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ASTFE", "0.1", [] {
            astfe::registerAllPasses();
            astfe::registerAllPipelines();
          }};
}
