//===- Register.h - pipelines whose options are checked -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PassPipelineRegistration has no way to refuse options that parse. This has,
// before any pass runs: the passes check what is handed on to them, a pipeline
// what only it reads.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_REGISTER_H
#define ASTFE_LIB_PIPELINES_REGISTER_H

#include "ASTFE/Analysis/PassOption.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace astfe {

struct StageOptions;

/// Checks options that a stage may leave out, so that no pass does.
core::Status checkStages(const StageOptions &options);

template <typename Options>
void registerPipeline(llvm::StringRef flag, llvm::StringRef description,
                      void (*build)(mlir::OpPassManager &, const Options &),
                      core::Status (*check)(const Options &)) {
  using Report = llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;
  mlir::registerPassPipeline(
      flag, description,
      [=](mlir::OpPassManager &pm, llvm::StringRef text, Report report) {
        // Adding a pass on modules to another pass manager ends the process.
        if (pm.getOpAnchorName() != mlir::ModuleOp::getOperationName())
          return report("expected pipeline '" + flag + "' on builtin.module " +
                        "but got it on '" + pm.getOpAnchorName() + "'");
        Options options;
        if (failed(options.parseFromString(text)))
          return llvm::failure();
        auto checked = allOf({checkGivenOnce(options.storage), check(options)});
        if (!checked)
          return report(checked.message());
        build(pm, options);
        if (auto checked = checkPasses(pm); !checked)
          return report(checked.message());
        return llvm::success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(Options());
      });
}

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_REGISTER_H
