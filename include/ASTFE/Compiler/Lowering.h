//===- Lowering.h - a module, lowered stage by stage ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_COMPILER_LOWERING_H
#define ASTFE_COMPILER_LOWERING_H

#include "ASTFE/Core/Support/Status.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include <functional>
#include <string>
#include <vector>

namespace astfe::compiler {

/// A named piece of a pipeline; the IR after it can be written to a file.
struct Stage {
  std::string name;
  std::function<mlir::LogicalResult(mlir::OpPassManager &)> build;
};

/// Parses modules and runs stages on them, in one context whose diagnostics
/// become error texts.
class Lowering {
public:
  Lowering();

  core::Result<mlir::OwningOpRef<mlir::ModuleOp>> parse(llvm::StringRef text,
                                                        llvm::StringRef name);
  core::Result<mlir::OwningOpRef<mlir::ModuleOp>>
  parseFile(const std::string &path);

  /// Runs all stages; with a folder, the IR goes to
  /// `<dir>/<prefix>NN-<name>.mlir` before the first and after each. `first`
  /// counts on where other stages ran before.
  core::Status run(mlir::ModuleOp module, const std::vector<Stage> &stages,
                   const std::string &dumpDir = {},
                   const std::string &prefix = {}, unsigned first = 0);

  mlir::MLIRContext &mlirContext() { return context; }

private:
  mlir::MLIRContext context;
};

} // namespace astfe::compiler

#endif // ASTFE_COMPILER_LOWERING_H
