//===- Register.h - pipelines whose options are checked -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PassPipelineRegistration has no way to refuse options that parse. This has:
// passes check what is handed on to them, a pipeline what only it reads.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_REGISTER_H
#define ASTFE_LIB_PIPELINES_REGISTER_H

#include "mlir/Pass/PassRegistry.h"

namespace astfe {

struct StageOptions;

/// What is wrong with options that a stage may leave out, hence not check;
/// empty when nothing is.
std::string checkStages(const StageOptions &options);

/// `check` returns what is wrong with options, or an empty text.
template <typename Options>
void registerPipeline(llvm::StringRef flag, llvm::StringRef description,
                      void (*build)(mlir::OpPassManager &, const Options &),
                      std::string (*check)(const Options &)) {
  using Report = llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;
  mlir::registerPassPipeline(
      flag, description,
      [=](mlir::OpPassManager &pm, llvm::StringRef text, Report report) {
        Options options;
        if (failed(options.parseFromString(text)))
          return llvm::failure();
        std::string wrong = check(options);
        if (!wrong.empty())
          return report(wrong);
        build(pm, options);
        return llvm::success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(Options());
      });
}

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_REGISTER_H
