//===- InitAll.h - what a tool registers ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver, the plug-in, the language server, the reducer and the C API
// register the same things through these functions, so that none falls behind.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_INITALL_H
#define ASTFE_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace astfe {

/// The astfe dialect and the external models of its ops: what a plug-in adds.
void registerDialect(mlir::DialectRegistry &registry);

/// The astfe dialect and upstream's.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Upstream's external models of interfaces, and all that turns a `gpu.module`
/// into a binary: translations to LLVM IR, NVVM target models.
void registerAllExtensions(mlir::DialectRegistry &registry);

/// ASTFE's passes. Upstream's come with mlir::registerAllPasses().
void registerAllPasses();

/// ASTFE's pipelines.
void registerAllPipelines();

/// All of the above, and upstream's passes: what a program of its own needs.
/// Passes are global to the process: not from several threads at once.
void registerEverything(mlir::DialectRegistry &registry);

} // namespace astfe

#endif // ASTFE_INITALL_H
